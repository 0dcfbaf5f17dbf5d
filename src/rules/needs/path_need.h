#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/needs/need.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// The part of a path that is known before any device is found: the whole path, or a directory that
/// contains it.
struct KnownPath {
  std::string path;
  bool complete = false;  ///< `path` is the whole path.
};
/// Returns the known part of a `glob` or `sysfs` pattern.
[[nodiscard]] KnownPath known_path_of_pattern(std::string_view pattern);
/// Returns the known part of a text. Null if the text begins with a path that a pattern of the same
/// configuration finds.
[[nodiscard]] std::optional<KnownPath> known_path(const Template& text);

/// Return the need of a Pod that reads the path, or writes to it. Null if every Pod can read the
/// path, or write to it. `at` and `what` stay empty.
[[nodiscard]] std::optional<Need> need_to_read(const KnownPath& path);
[[nodiscard]] std::optional<Need> need_to_write(const KnownPath& path);
/// Returns the need of a Pod that runs the program.
[[nodiscard]] Need need_to_run(const std::string& program);

}  // namespace patchbay::rules
