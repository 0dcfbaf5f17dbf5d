#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Shell patterns over the file system, as glob(3) understands them. Any thread; listing blocks.
namespace patchbay::host {

/// The existing paths that `pattern` matches, in no order; a dangling link exists. Directories that
/// cannot be read are passed over. With a "/" at its end: directories only, links followed.
[[nodiscard]] std::vector<std::string> glob_paths(const std::string& pattern);

/// `text` with everything that glob(3) would interpret escaped.
[[nodiscard]] std::string escape_glob(std::string_view text);

/// Whether glob(3) would interpret something in `text`, other than an escape.
[[nodiscard]] bool has_wildcard(std::string_view text);

}  // namespace patchbay::host
