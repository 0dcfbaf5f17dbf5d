#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/need.h"
#include "rules/template.h"

namespace patchbay::rules {

/// What is known of a path before there is a device: the whole of it, or the directory below which
/// it will be.
struct KnownPath {
  std::string path;
  bool complete = false;
};
/// Of a pattern of `glob` or `sysfs`.
[[nodiscard]] KnownPath known_path_of_pattern(std::string_view pattern);
/// Of a text; null: it is what a pattern of the same configuration finds.
[[nodiscard]] std::optional<KnownPath> known_path(const Template& text);

/// What a Pod lacks to look at the path, or to write there; null if nothing. `at` and `what` are
/// left empty.
[[nodiscard]] std::optional<Need> need_to_read(const KnownPath& path);
[[nodiscard]] std::optional<Need> need_to_write(const KnownPath& path);
/// The same to run a program.
[[nodiscard]] std::optional<Need> need_to_run(const std::string& program);

}  // namespace patchbay::rules
