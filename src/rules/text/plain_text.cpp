#include "rules/text/plain_text.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/position.h"

namespace patchbay::rules {

std::optional<size_t> find_variable(std::string_view text, Escapes escapes) {
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("$$(")) {
      at += 2;
    } else if (rest.front() == '\\' && escapes == Escapes::backslash) {
      ++at;
    } else if (rest.starts_with("$(")) {
      return at;
    }
  }
  return std::nullopt;
}

bool check_plain(const config::Located<std::string>& text, Escapes escapes,
                 std::string_view context, std::string_view hint,
                 config::Diagnostics& diagnostics) {
  const auto at = find_variable(text.value, escapes);
  if (!at) return true;
  const std::string variable = text.value.substr(*at, text.value.find(')', *at) - *at + 1);
  diagnostics.error(position_in(text, *at),
                    fmt::format("'{}' is not allowed in {}", printable(variable), context),
                    std::string(hint));
  return false;
}

void check_one_file(const config::Located<std::string>& path, config::Diagnostics& diagnostics) {
  const size_t wildcard = path.value.find_first_of("*?");
  if (wildcard == std::string::npos) return;
  diagnostics.error(
      position_in(path, wildcard),
      fmt::format("'{}' in the path of a file is not expanded: the path names one file",
                  path.value[wildcard]),
      "to use '*' write attribute: for files below a device, or glob: for paths");
}

}  // namespace patchbay::rules
