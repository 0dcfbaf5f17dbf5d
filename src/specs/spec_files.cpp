#include "specs/spec_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/text.h"
#include "base/unique_fd.h"

namespace patchbay::specs {
namespace {

// Runtimes read only *.json and *.yaml.
constexpr std::string_view kTemporaryBegin = "spec.patchbay-";
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr mode_t kMode = 0644;

std::unexpected<Error> failure(const std::string& what, const std::string& path) {
  return fail_errno("cannot " + what + ' ' + printable(path, 500), errno);
}

bool is_up_to_date(const SpecFile& file) {
  struct stat status {};
  if (::lstat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if ((status.st_mode & 0777U) != kMode) return false;
  std::ifstream in(file.path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  return in && content == file.content;
}

/// Returns true if all content is on the disk.
bool write_and_sync(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  // Readable for all, whatever the umask is.
  return ::fchmod(fd, kMode) == 0 && ::fsync(fd) == 0;
}

}  // namespace

Result<void> write_spec_file(const SpecFile& file) {
  if (is_up_to_date(file)) return {};
  const std::filesystem::path directory = std::filesystem::path(file.path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return fail_errno("cannot create the directory " + printable(directory.string(), 500),
                      error.value());
  }
  std::string temporary = directory / (std::string(kTemporaryBegin) + "XXXXXX.tmp");
  const UniqueFd fd(
      ::mkostemps(temporary.data(), static_cast<int>(kTemporaryEnd.size()), O_CLOEXEC));
  if (!fd) return failure("write in", directory);
  if (write_and_sync(fd.get(), file.content) &&
      ::rename(temporary.c_str(), file.path.c_str()) == 0) {
    return {};
  }
  const auto failed = failure("write", file.path);
  ::unlink(temporary.c_str());
  return failed;
}

Result<void> remove_spec_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return failure("remove", path);
}

Result<size_t> remove_leftovers(
    const std::string& directory, const FilePaths& keep,
    const std::function<bool(std::string_view name, const std::string& path)>& is_ours) {
  size_t removed = 0;
  Result<size_t> result;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path();
    const std::string name = entry->path().filename();
    std::error_code unreadable;
    if (!entry->is_regular_file(unreadable)) continue;
    const bool temporary = name.starts_with(kTemporaryBegin) && name.ends_with(kTemporaryEnd);
    if (keep.contains(path) || (!temporary && !is_ours(name, path))) continue;
    if (auto gone = remove_spec_file(path); gone) {
      ++removed;
    } else if (result) {
      result = std::unexpected(std::move(gone).error());
    }
  }
  if (result) result = removed;
  return result;
}

}  // namespace patchbay::specs
