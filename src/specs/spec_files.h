#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

/// Writes and removes files that other programs read at any time. Blocking; any thread.
namespace patchbay::specs {

struct SpecFile {
  std::string path;
  std::string content;
};

/// Absolute paths.
using FilePaths = std::set<std::string, std::less<>>;

/// Replaces the file atomically, also if the machine crashes. Creates its directory if needed. A
/// file with this content is left alone.
[[nodiscard]] Result<void> write_spec_file(const SpecFile& file);

/// Removes the file if it exists.
[[nodiscard]] Result<void> remove_spec_file(const std::string& path);

/// Removes the files in the directory that are ours, except those in `keep`. `is_ours` is called
/// with the name and the whole path. Temporary files of killed processes are removed, too. Returns
/// the number of removed files; 0 if there is no such directory. An Error names the first file that
/// cannot be removed.
[[nodiscard]] Result<size_t> remove_leftovers(
    const std::string& directory, const FilePaths& keep,
    const std::function<bool(std::string_view name, const std::string& path)>& is_ours);

}  // namespace patchbay::specs
