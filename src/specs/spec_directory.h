#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// Writes and removes files that other programs may read at any time.
namespace patchbay::specs {

struct SpecFile {
  std::string path;
  std::string content;
};

/// Absolute paths of files.
using FilePaths = std::set<std::string, std::less<>>;

/// Replaces the file atomically, also if the machine crashes. Creates the directory if needed. Does
/// nothing if the file has this content already. Blocking; any thread.
[[nodiscard]] Result<void> write_spec_file(const SpecFile& file);

/// Removes the file if it exists. Blocking; any thread.
[[nodiscard]] Result<void> remove_spec_file(const std::string& path);

/// Removes our files in the directory, except those in `keep`. `is_ours` is called with the name
/// and the whole path. Also removes temporary files of killed processes. Returns the number of
/// removed files; 0 if the directory does not exist. An Error names the first file that cannot be
/// removed. Blocking; any thread.
[[nodiscard]] Result<size_t> remove_leftovers(
    const std::string& directory, const FilePaths& keep,
    const std::function<bool(std::string_view name, const std::string& path)>& is_ours);

/// Manages our files in one directory, by resource. Other programs use the directory, too. Any
/// thread. Functions marked as Blocking run one at a time. If one hangs, the others fail.
class SpecDirectory {
 public:
  /// Called with the name and the whole path.
  using IsOurs = std::function<bool(std::string_view name, const std::string& path)>;

  /// The treatment of a resource's other files in write().
  enum class Obsolete { remove, keep };

  SpecDirectory(std::string path, IsOurs is_ours);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Keeps these files of an earlier run until write() is called for the resource.
  void expect(const std::string& resource, FilePaths paths);
  /// Keeps all files of an earlier run whose names have this prefix, until write() is called for
  /// the resource. Files that other resources expect do not count.
  void expect_all(const std::string& resource, std::string prefix);
  /// Records that no other instance runs. Another instance could own files of other resources.
  void set_sole_writer();
  /// Whether files of the resource may exist.
  [[nodiscard]] bool may_have(const std::string& resource) const;
  [[nodiscard]] bool may_have_any() const;

  /// Removes unexpected files of earlier runs, if set_sole_writer() was called. The files are
  /// removed only once. Does nothing if another thread hangs in the directory. Blocking.
  void remove_old_if_sole_writer();
  /// Calls remove_old_if_sole_writer(). Then writes the files of the resource, and removes its
  /// other files unless `obsolete` is `keep`. Blocking.
  [[nodiscard]] Result<void> write(const std::string& resource, const std::vector<SpecFile>& files,
                                   Obsolete obsolete = Obsolete::remove);
  /// Removes unexpected files of earlier runs, unless this has been done, and returns the number of
  /// removed files. An Error names a file that cannot be removed. Blocking.
  [[nodiscard]] Result<size_t> remove_old();
  /// Removes the files of the resource. If a file cannot be removed, the next start of the daemon
  /// removes it. Blocking.
  void remove(const std::string& resource);
  /// Removes the files of all resources. Blocking.
  void remove_all();

 private:
  /// Serializes blocking accesses.
  class ExclusiveAccess;

  void remove_old_once();
  [[nodiscard]] Result<void> replace(const std::string& resource,
                                     const std::vector<SpecFile>& files, Obsolete obsolete);
  /// Whether another resource has the file, too.
  [[nodiscard]] bool is_shared(const std::string& resource, const std::string& path) const;
  /// If the name of an earlier run's file has an expected prefix, assigns the file to that
  /// resource.
  bool adopt(std::string_view name, const std::string& path);

  const std::string path_;
  const IsOurs is_ours_;

  /// Guards expected_, prefixes_, writers_ and sole_writer_. Never locked during blocking calls.
  mutable std::mutex mutex_;
  std::map<std::string, FilePaths> expected_;    ///< Expected files, by resource.
  std::map<std::string, std::string> prefixes_;  ///< Expected prefixes, by resource.
  FilePaths writers_;                            ///< Resources that may have files.
  bool sole_writer_ = false;

  /// Locked by ExclusiveAccess. Guards written_ and old_removed_.
  std::timed_mutex access_mutex_;
  /// Start of the current access; the epoch if there is none.
  std::atomic<std::chrono::steady_clock::time_point> access_since_{};
  std::atomic<bool> old_removal_done_ = false;
  std::map<std::string, FilePaths> written_;   ///< Existing files, by resource.
  std::optional<Result<size_t>> old_removed_;  ///< Result of remove_old(). Null if not done yet.
};

}  // namespace patchbay::specs
