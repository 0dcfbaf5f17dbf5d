#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"

namespace patchbay::rules {

/// The kind of text that a glob is compared with.
enum class PatternContext {
  name,  ///< Name, path or address of a device: no `|`, rarely a comma.
  free,  ///< Any text of a vendor.
  file,  ///< Content of a file.
  path,  ///< Paths of the host that the rule searches.
};

/// Advice for a glob in the syntax of a shell, of udev or of a regular expression. It has braces,
/// `|`, `,`, `+`, `\d`, a leading `!` or `^`, or a final `$`. All of these match literally.
[[nodiscard]] std::optional<Advice> foreign_pattern(std::string_view glob, PatternContext of);

}  // namespace patchbay::rules
