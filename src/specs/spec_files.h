#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

/// Files that other programs read while we write them. Blocking; any thread.
namespace patchbay::specs {

struct SpecFile {
  std::string path;
  std::string content;
};

/// Whole paths.
using FilePaths = std::set<std::string, std::less<>>;

/// Readers see the old file or the new one, whole, also after a crash. Its directory is made if
/// need be. A file that has this content already is left alone.
[[nodiscard]] Result<void> write_spec_file(const SpecFile& file);

/// That there is no such file is fine.
[[nodiscard]] Result<void> remove_spec_file(const std::string& path);

/// Removes the files in the directory of which `is_ours` says so, given the name and the whole
/// path, but for those to keep; and what was being written when a process was killed. How
/// many were removed; none where there is no such directory. An Error names the first that stays.
[[nodiscard]] Result<size_t> remove_leftovers(
    const std::string& directory, const FilePaths& keep,
    const std::function<bool(std::string_view name, const std::string& path)>& is_ours);

}  // namespace patchbay::specs
