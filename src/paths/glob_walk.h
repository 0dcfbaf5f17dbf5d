#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paths/host_root.h"

/// Shell patterns as in glob(3).
namespace patchbay::paths {

/// `text` with everything escaped that glob(3) would interpret.
[[nodiscard]] std::string escape_glob(std::string_view text);

/// The name that `text` matches, if it has no wildcard.
[[nodiscard]] std::string unescape_glob(std::string_view text);

/// Whether glob(3) would interpret anything in `text` except escapes.
[[nodiscard]] bool has_wildcard(std::string_view text);

/// Limits of a walk along a pattern. A directory with links to itself is as deep as the pattern,
/// and each link doubles the number of paths below.
struct GlobLimits {
  size_t paths = 100'000;  ///< Visited paths, including intermediate ones.
  int links = 8;           ///< Links that lead to a path.
  bool all_links = false;  ///< With a trailing "/": also links to no directory.
};

/// The result of a walk.
struct GlobFound {
  std::vector<std::string> paths;  ///< Sorted, so that a truncated result is stable.
  std::string truncation;          ///< Why it is incomplete, for messages. Empty: it is not.
};

/// The existing paths that `pattern` matches, as in glob(3), except "." and "..". The pattern is an
/// absolute path. `*`, `?` and `[…]` match within a name, and `\` makes the next character literal.
/// A dangling link exists. Unreadable directories are skipped. With a trailing "/": directories
/// only, links followed. Any thread; blocking.
[[nodiscard]] GlobFound walk_glob(const HostRoot& root, const std::string& pattern,
                                  const GlobLimits& limits = {});

}  // namespace patchbay::paths
