#include "cli/wall_clock.h"

#include <fmt/chrono.h>

namespace patchbay::cli {

using std::chrono::duration_cast;
using std::chrono::steady_clock;
using std::chrono::system_clock;

WallClock WallClock::now() {
  return {system_clock::now().time_since_epoch() -
          duration_cast<system_clock::duration>(steady_clock::now().time_since_epoch())};
}

std::string WallClock::text(steady_clock::time_point time) const {
  const system_clock::time_point at(duration_cast<system_clock::duration>(time.time_since_epoch()) +
                                    ahead);
  return fmt::format("{:%FT%TZ}", std::chrono::floor<std::chrono::seconds>(at));
}

}  // namespace patchbay::cli
