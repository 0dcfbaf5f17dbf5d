#include "specs/spec_directory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/whereabouts.h"

namespace patchbay::specs {
namespace {

using Clock = std::chrono::steady_clock;

/// What cannot be removed now is removed at the next start.
void remove_or_leave(const std::string& path) {
  if (const auto gone = remove_spec_file(path); !gone) {
    log::debug("a file of a unit stays", {{"reason", gone.error().message}});
  }
}

}  // namespace

class SpecDirectory::Turn {
 public:
  explicit Turn(SpecDirectory& directory)
      : directory_(directory), lock_(directory.turn_, std::defer_lock) {
    const auto since = directory.since_.load();
    // Who knows it needs no thread to wait for it.
    if (since != Clock::time_point{} && Clock::now() - since > kHangs) return;
    if (lock_.try_lock_for(kHangs)) directory.since_ = Clock::now();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (lock_.owns_lock()) directory_.since_ = Clock::time_point{};
  }

  /// Whether it is ours.
  [[nodiscard]] Result<void> taken() const {
    if (lock_.owns_lock()) return {};
    return fail(does_not_answer(directory_.path_));
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

void SpecDirectory::nobody_else_writes() {
  const std::lock_guard lock(mutex_);
  alone_ = true;
}

bool SpecDirectory::may_have(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  return writers_.contains(resource);
}

bool SpecDirectory::may_have_any() const {
  const std::lock_guard lock(mutex_);
  return !writers_.empty();
}

void SpecDirectory::begin() {
  {
    const std::lock_guard lock(mutex_);
    if (!alone_ || taken_over_) return;
  }
  const Turn turn(*this);
  if (turn.taken()) take_over();
}

Result<void> SpecDirectory::write(const std::string& resource, const std::vector<SpecFile>& files,
                                  Others others) {
  bool alone = false;
  {
    const std::lock_guard lock(mutex_);
    writers_.insert(resource);
    alone = alone_;
  }
  const Turn turn(*this);
  if (const auto taken = turn.taken(); !taken) return taken;
  if (alone) take_over();
  return replace(resource, files, others);
}

Result<void> SpecDirectory::replace(const std::string& resource, const std::vector<SpecFile>& files,
                                    Others others) {
  FilePaths& written = written_[resource];
  FilePaths wanted;
  for (const SpecFile& file : files) {
    if (auto done = write_spec_file(file); !done) return done;
    written.insert(file.path);
    wanted.insert(file.path);
  }
  if (others == Others::stay) return {};
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
  const Turn turn(*this);
  if (const auto taken = turn.taken(); !taken) return std::unexpected(taken.error());
  take_over();
  return *old_removed_;
}

void SpecDirectory::take_over() {
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
  taken_over_ = true;
}

void SpecDirectory::remove(const std::string& resource) {
  const Turn turn(*this);
  if (!turn.taken()) return;
  for (const std::string& path : written_[resource]) {
    if (!is_shared(resource, path)) remove_or_leave(path);
  }
  written_.erase(resource);
}

void SpecDirectory::remove_all() {
  const Turn turn(*this);
  if (!turn.taken()) return;
  for (const auto& [resource, written] : std::exchange(written_, {})) {
    for (const std::string& path : written) remove_or_leave(path);
  }
}

}  // namespace patchbay::specs
