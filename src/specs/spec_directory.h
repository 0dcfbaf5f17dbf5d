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

/// Files that other programs read at any time, and directories of them.
namespace patchbay::specs {

struct SpecFile {
  std::string path;
  std::string content;
};

/// Absolute paths.
using FilePaths = std::set<std::string, std::less<>>;

/// Replaces the file atomically, also if the machine crashes. Creates its directory if needed. A
/// file with this content is left alone. Blocking, as the next two; any thread.
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

/// Manages our files in one directory, which other programs use, too, and knows the resource of
/// each file. Any thread. Blocking functions are marked: they run one at a time, and fail if the
/// running one hangs.
class SpecDirectory {
 public:
  /// Called with the name and the whole path.
  using IsOurs = std::function<bool(std::string_view name, const std::string& path)>;

  /// The treatment of files of a resource that are not written any more.
  enum class Obsolete { remove, keep };

  SpecDirectory(std::string path, IsOurs is_ours);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Keeps these files of earlier runs until the resource writes.
  void expect(const std::string& resource, FilePaths paths);
  /// Keeps all files of earlier runs with this prefix until then, except those expected for other
  /// resources.
  void expect_all(const std::string& resource, std::string prefix);
  /// Notes that no other instance runs, which could own files of other resources.
  void set_sole_writer();
  /// Whether files of the resource may exist.
  [[nodiscard]] bool may_have(const std::string& resource) const;
  [[nodiscard]] bool may_have_any() const;

  /// Removes files of earlier runs, once, after set_sole_writer(). Does nothing if another thread
  /// hangs in the directory. Blocking.
  void remove_old_if_sole_writer();
  /// Writes the files of the resource, and removes its other files unless `obsolete` is `keep`.
  /// Before that it removes files of earlier runs, once, after set_sole_writer(). Blocking.
  [[nodiscard]] Result<void> write(const std::string& resource, const std::vector<SpecFile>& files,
                                   Obsolete obsolete = Obsolete::remove);
  /// Removes files of earlier runs, unless write() has done so, and returns their number. A file
  /// that cannot be removed is an Error. Blocking.
  [[nodiscard]] Result<size_t> remove_old();
  /// Removes the files of the resource. A file that cannot be removed now is removed at the next
  /// start. Blocking.
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
  std::map<std::string, FilePaths> expected_;    ///< By resource.
  std::map<std::string, std::string> prefixes_;  ///< Expected prefixes, by resource.
  FilePaths writers_;                            ///< Resources that may have files.
  bool sole_writer_ = false;

  /// Locked by ExclusiveAccess. Guards written_ and old_removed_.
  std::timed_mutex access_mutex_;
  /// Start of the current access; the epoch: none.
  std::atomic<std::chrono::steady_clock::time_point> access_since_{};
  std::atomic<bool> old_removal_done_ = false;
  std::map<std::string, FilePaths> written_;   ///< By resource.
  std::optional<Result<size_t>> old_removed_;  ///< Null: not yet.
};

}  // namespace patchbay::specs
