#include "specs/spec_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/current_path.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "base/write_all.h"
#include "loop/executor.h"

namespace patchbay::specs {
namespace {

using Clock = std::chrono::steady_clock;

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
  // Readable for all, whatever the umask is.
  return write_all(fd, content) == 0 && ::fchmod(fd, kMode) == 0 && ::fsync(fd) == 0;
}

/// A file that cannot be removed now is removed at the next start.
void try_remove(const std::string& path) {
  if (const auto gone = remove_spec_file(path); !gone) {
    log::debug("a unit file cannot be removed", {{"reason", gone.error().message}});
  }
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

class SpecDirectory::ExclusiveAccess {
 public:
  explicit ExclusiveAccess(SpecDirectory& directory)
      : directory_(directory), lock_(directory.access_mutex_, std::defer_lock) {
    const auto since = directory.access_since_.load();
    // The current access is known to hang: do not block another thread.
    if (since != Clock::time_point{} && Clock::now() - since > loop::kHungAfter) return;
    if (lock_.try_lock_for(loop::kHungAfter)) directory.access_since_ = Clock::now();
  }
  ExclusiveAccess(const ExclusiveAccess&) = delete;
  ExclusiveAccess& operator=(const ExclusiveAccess&) = delete;
  ~ExclusiveAccess() {
    if (lock_.owns_lock()) directory_.access_since_ = Clock::time_point{};
  }

  /// An Error if another access hangs.
  [[nodiscard]] Result<void> granted() const {
    if (lock_.owns_lock()) return {};
    return fail(unresponsive_text(directory_.path_));
  }

 private:
  SpecDirectory& directory_;
  std::unique_lock<std::timed_mutex> lock_;
};

SpecDirectory::SpecDirectory(std::string path, IsOurs is_ours)
    : path_(std::move(path)), is_ours_(std::move(is_ours)) {}

void SpecDirectory::expect(const std::string& resource, FilePaths paths) {
  const std::lock_guard lock(mutex_);
  expected_[resource] = std::move(paths);
}

void SpecDirectory::expect_all(const std::string& resource, std::string prefix) {
  const std::lock_guard lock(mutex_);
  prefixes_[resource] = std::move(prefix);
}

void SpecDirectory::set_sole_writer() {
  const std::lock_guard lock(mutex_);
  sole_writer_ = true;
}

bool SpecDirectory::may_have(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  return writers_.contains(resource);
}

bool SpecDirectory::may_have_any() const {
  const std::lock_guard lock(mutex_);
  return !writers_.empty();
}

void SpecDirectory::remove_old_if_sole_writer() {
  {
    const std::lock_guard lock(mutex_);
    if (!sole_writer_ || old_removal_done_) return;
  }
  const ExclusiveAccess access(*this);
  if (access.granted()) remove_old_once();
}

Result<void> SpecDirectory::write(const std::string& resource, const std::vector<SpecFile>& files,
                                  Obsolete obsolete) {
  bool sole_writer = false;
  {
    const std::lock_guard lock(mutex_);
    writers_.insert(resource);
    sole_writer = sole_writer_;
  }
  const ExclusiveAccess access(*this);
  if (const auto granted = access.granted(); !granted) return granted;
  if (sole_writer) remove_old_once();
  return replace(resource, files, obsolete);
}

Result<void> SpecDirectory::replace(const std::string& resource, const std::vector<SpecFile>& files,
                                    Obsolete obsolete) {
  FilePaths& written = written_[resource];
  FilePaths wanted;
  for (const SpecFile& file : files) {
    if (auto done = write_spec_file(file); !done) return done;
    written.insert(file.path);
    wanted.insert(file.path);
  }
  if (obsolete == Obsolete::keep) return {};
  FilePaths old;
  std::ranges::set_difference(written, wanted, std::inserter(old, old.end()));
  for (const std::string& path : old) {
    if (!is_shared(resource, path)) {
      if (auto gone = remove_spec_file(path); !gone) return gone;
    }
    written.erase(path);
  }
  return {};
}

bool SpecDirectory::is_shared(const std::string& resource, const std::string& path) const {
  return std::ranges::any_of(written_, [&](const auto& entry) {
    return entry.first != resource && entry.second.contains(path);
  });
}

bool SpecDirectory::adopt(std::string_view name, const std::string& path) {
  const std::lock_guard lock(mutex_);
  bool adopted = false;
  for (const auto& [resource, prefix] : prefixes_) {
    if (!name.starts_with(prefix)) continue;
    writers_.insert(resource);
    written_[resource].insert(path);
    adopted = true;
  }
  return adopted;
}

Result<size_t> SpecDirectory::remove_old() {
  const ExclusiveAccess access(*this);
  if (const auto granted = access.granted(); !granted) return std::unexpected(granted.error());
  remove_old_once();
  return *old_removed_;
}

void SpecDirectory::remove_old_once() {
  if (old_removed_) return;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [resource, paths] : std::exchange(expected_, {})) {
      writers_.insert(resource);
      written_[resource].merge(std::move(paths));
    }
  }
  FilePaths keep;
  for (const auto& [resource, written] : written_) keep.insert(written.begin(), written.end());
  old_removed_ =
      remove_leftovers(path_, keep, [this](std::string_view name, const std::string& path) {
        return is_ours_(name, path) && !adopt(name, path);
      });
  old_removal_done_ = true;
}

void SpecDirectory::remove(const std::string& resource) {
  const ExclusiveAccess access(*this);
  if (!access.granted()) return;
  for (const std::string& path : written_[resource]) {
    if (!is_shared(resource, path)) try_remove(path);
  }
  written_.erase(resource);
}

void SpecDirectory::remove_all() {
  const ExclusiveAccess access(*this);
  if (!access.granted()) return;
  for (const auto& [resource, written] : std::exchange(written_, {})) {
    for (const std::string& path : written) try_remove(path);
  }
}

}  // namespace patchbay::specs
