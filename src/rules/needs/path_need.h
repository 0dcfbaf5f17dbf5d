#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/needs/need.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// The known part of a path before any device is found: the whole path, or the directory that will
/// contain it.
struct KnownPath {
  std::string path;
  bool complete = false;
};
/// The known part of a `glob` or `sysfs` pattern.
[[nodiscard]] KnownPath known_path_of_pattern(std::string_view pattern);
/// The known part of a text. Null: a pattern of the same configuration finds the path.
[[nodiscard]] std::optional<KnownPath> known_path(const Template& text);

/// The need of a Pod to read the path, or to write to it. Null if each Pod can. `at` and `what`
/// stay empty.
[[nodiscard]] std::optional<Need> need_to_read(const KnownPath& path);
[[nodiscard]] std::optional<Need> need_to_write(const KnownPath& path);
/// The need of a Pod to run a program.
[[nodiscard]] Need need_to_run(const std::string& program);

}  // namespace patchbay::rules
