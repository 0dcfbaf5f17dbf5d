#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host_root.h"

/// Shell patterns as glob(3) understands them.
namespace patchbay::host {

/// `text` with everything that glob(3) would interpret escaped.
[[nodiscard]] std::string escape_glob(std::string_view text);

/// The name that `text` stands for, if it has no wildcard.
[[nodiscard]] std::string unescape_glob(std::string_view text);

/// Whether glob(3) would interpret something in `text`, other than an escape.
[[nodiscard]] bool has_wildcard(std::string_view text);

/// How far a walk along a pattern goes, and what counts. A directory with links to itself is as
/// deep as the pattern, and each link doubles what is below.
struct GlobLimits {
  size_t paths = 100'000;  ///< That it looks at, those on the way among them.
  int links = 8;           ///< That lead to a path.
  bool all_links = false;  ///< Of a pattern with a "/" at its end: also those to no directory.
};

/// What a walk found.
struct GlobFound {
  std::vector<std::string> paths;  ///< In the order of their names, so that a part is the same.
  std::string truncation;          ///< Why that is not all, for people; empty: it is.
};

/// The existing paths that `pattern` matches, as glob(3) would find them, but for "." and "..": an
/// absolute path in which `*`, `?` and `[…]` stand for what is in a name, and `\` takes the next
/// character literally. A dangling link exists. Directories that cannot be read are passed over.
/// With a "/" at its end: directories only, links followed. Any thread; blocking.
[[nodiscard]] GlobFound walk_glob(const HostRoot& root, const std::string& pattern,
                                  const GlobLimits& limits = {});

}  // namespace patchbay::host
