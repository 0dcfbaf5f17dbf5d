#include "rules/plan/static_names.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/text/position.h"

namespace patchbay::rules {

void warn_of_static_names(const std::vector<config::Located<std::string>>& names,
                          config::Diagnostics& diagnostics) {
  static const re2::RE2 range(R"(([A-Za-z_.]*)(\d{1,3})(?:-|\.\.)(\d{1,3}))");
  static const re2::RE2 several(R"(.*[*?{}\[\]].*|\S+, *\S+)");
  const auto is_range = [&](const config::Located<std::string>& name) {
    return re2::RE2::FullMatch(name.value, range);
  };
  for (const config::Located<std::string>& name : names) {
    // Placeholders of other tools have their own warning.
    if (name.value.contains("${") || name.value.contains("{{")) continue;
    const bool number = name.value.find_first_not_of(kDigits) == std::string::npos;
    std::string hint;
    std::string stem;
    int first = 0;
    int last = 0;
    if (number && names.size() == 1) {
      hint = fmt::format(
          "write a list of names, [scope1, scope2]; for one unit that several containers use write "
          "share: {{count: {}}}",
          name.value);
    } else if (re2::RE2::FullMatch(name.value, range, &stem, &first, &last) && first < last &&
               std::ranges::count_if(names, is_range) == 1) {
      hint = fmt::format("write a list of names: [{0}{1}, {0}{2}{3}]", stem, first, first + 1,
                         first + 1 < last ? ", …" : "");
    } else if (re2::RE2::FullMatch(name.value, several)) {
      hint = "write a list of names: [scope1, scope2]";
    }
    if (hint.empty()) continue;
    diagnostics.warning(name.at, fmt::format("'{}' is one name: it gives one unit", name.value),
                        std::move(hint));
  }
}

}  // namespace patchbay::rules
