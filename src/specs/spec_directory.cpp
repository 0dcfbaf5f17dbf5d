#include "specs/spec_directory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/current_path.h"
#include "base/log.h"
#include "loop/executor.h"

namespace patchbay::specs {
namespace {

using Clock = std::chrono::steady_clock;

/// A file that cannot be removed now is removed at the next start.
void try_remove(const std::string& path) {
  if (const auto gone = remove_spec_file(path); !gone) {
    log::debug("a unit file cannot be removed", {{"reason", gone.error().message}});
  }
}

}  // namespace

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
