#pragma once

#include <optional>
#include <string_view>

#include "rules/advice.h"

namespace patchbay::rules {

/// What a glob is compared with.
enum class PatternContext {
  name,  ///< A name, a path or an address of a device: such have no `|`, and hardly a comma.
  free,  ///< Whatever a vendor wrote.
  file,  ///< The content of a file.
  path,  ///< Paths of the host that are looked for.
};

/// Of a glob that is written as if it were one of a shell, of udev or a regular expression: with
/// braces, `|`, `,`, `+`, `\d`, a leading `!` or `^`, a final `$`. All of them stand for
/// themselves.
[[nodiscard]] std::optional<Advice> foreign_pattern(std::string_view glob, PatternContext of);

}  // namespace patchbay::rules
