#include "cli/options/name_filter.h"

#include <memory>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace patchbay::cli {

Result<NameFilter> parse_name_filter(const std::string& regex) {
  const auto compiled = std::make_shared<const re2::RE2>(regex, re2::RE2::Quiet);
  if (!compiled->ok()) {
    return fail(fmt::format("takes a regular expression, not '{}' ({})", printable(regex),
                            printable(compiled->error())));
  }
  return [compiled](const std::string& name) { return re2::RE2::PartialMatch(name, *compiled); };
}

}  // namespace patchbay::cli
