#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paths/host_root.h"

/// Shell patterns as in glob(3).
namespace patchbay::paths {

/// Escapes all characters of `text` that glob(3) would interpret.
[[nodiscard]] std::string escape_glob(std::string_view text);

/// Returns the name that a `text` without wildcards matches.
[[nodiscard]] std::string unescape_glob(std::string_view text);

/// Whether glob(3) would interpret anything in `text` except escapes.
[[nodiscard]] bool has_wildcard(std::string_view text);

/// Limits of a walk along a pattern. They matter for directories with links to themselves: each
/// such link doubles the number of paths at each level of the pattern.
struct GlobLimits {
  size_t paths = 100'000;  ///< Limit of visited paths, including intermediate ones.
  int links = 8;           ///< Limit of links through which one path leads.
  /// With "/" at its end, a pattern also finds links that lead to no directory.
  bool all_links = false;
};

/// The result of a walk.
struct GlobFound {
  std::vector<std::string> paths;  ///< Sorted, so that a truncated result is stable.
  std::string truncation;          ///< Why `paths` is incomplete, for messages. Empty if complete.
};

/// Returns the existing paths that `pattern` matches, as in glob(3), except "." and "..". The
/// pattern is an absolute path. `*`, `?` and `[…]` match within a name, and `\` makes the next
/// character literal. A dangling link counts as existing. Unreadable directories are skipped. A
/// pattern with "/" at its end matches only directories and links to directories, and the results
/// end in "/", too. Any thread; blocking.
[[nodiscard]] GlobFound walk_glob(const HostRoot& root, const std::string& pattern,
                                  const GlobLimits& limits = {});

}  // namespace patchbay::paths
