#include "base/wall_clock.h"

#include <array>
#include <ctime>

namespace patchbay {

using std::chrono::duration_cast;
using std::chrono::steady_clock;
using std::chrono::system_clock;

WallClock WallClock::now() {
  return {system_clock::now().time_since_epoch() -
          duration_cast<system_clock::duration>(steady_clock::now().time_since_epoch())};
}

std::string utc_text(system_clock::time_point at) {
  const std::time_t seconds = system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(at));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string WallClock::text(steady_clock::time_point time) const {
  return utc_text(
      system_clock::time_point(duration_cast<system_clock::duration>(time.time_since_epoch())) +
      ahead);
}

}  // namespace patchbay
