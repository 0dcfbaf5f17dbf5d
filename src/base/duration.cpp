#include "base/duration.h"

#include <array>
#include <string_view>
#include <utility>

namespace patchbay {

std::string duration_text(std::chrono::milliseconds duration) {
  using std::chrono::milliseconds;
  constexpr std::array<std::pair<std::string_view, milliseconds>, 3> kUnits{
      {{"h", std::chrono::hours(1)},
       {"m", std::chrono::minutes(1)},
       {"s", std::chrono::seconds(1)}}};
  if (duration % std::chrono::seconds(1) != milliseconds(0)) {
    return std::to_string(duration.count()) + "ms";
  }
  std::string text;
  for (const auto& [name, unit] : kUnits) {
    const auto count = duration / unit;
    if (count == 0) continue;
    text += std::to_string(count);
    text += name;
    duration -= count * unit;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace patchbay
