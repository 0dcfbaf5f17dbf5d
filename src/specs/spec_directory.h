#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "specs/spec_files.h"

namespace patchbay::specs {

/// Our files in one directory, in which others may have theirs, and which of them are of which
/// resource. Any thread. What blocks says so; it is done one after another, and fails when the one
/// before hangs.
class SpecDirectory {
 public:
  /// Given the name and the whole path.
  using IsOurs = std::function<bool(std::string_view name, const std::string& path)>;

  /// What becomes of files that a resource had and does not write now.
  enum class Obsolete { remove, keep };

  /// What takes so long hangs.
  static constexpr std::chrono::seconds kLockTimeout{2};

  SpecDirectory(std::string path, IsOurs is_ours);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Of the files that earlier runs left those stay, until the resource writes.
  void expect(const std::string& resource, FilePaths paths);
  /// … all whose names begin so, but for those that are expected of other resources.
  void expect_all(const std::string& resource, std::string prefix);
  /// No other process of ours is there whose files may be those of other resources.
  void set_sole_writer();
  /// Whether files of the resource are or may be there.
  [[nodiscard]] bool may_have(const std::string& resource) const;
  [[nodiscard]] bool may_have_any() const;

  /// Removes what earlier runs left, once and if nobody else writes. Nothing if another thread
  /// hangs there. Blocking.
  void remove_old_if_sole_writer();
  /// These become the files of the resource, and no others, but for those that it has if there may
  /// be more. Before that, once and if nobody else writes, what earlier runs left is removed.
  /// Blocking.
  [[nodiscard]] Result<void> write(const std::string& resource, const std::vector<SpecFile>& files,
                                   Obsolete obsolete = Obsolete::remove);
  /// Removes what earlier runs left, if no write() has done so, and says how many files that was; a
  /// file that stays is an Error. Blocking.
  [[nodiscard]] Result<size_t> remove_old();
  /// Removes the files of the resource; what cannot be removed now is at the next start. Blocking.
  void remove(const std::string& resource);
  /// The same of all resources. Blocking.
  void remove_all();

 private:
  /// For what blocks: one at a time.
  class ExclusiveAccess;

  void remove_old_once();
  [[nodiscard]] Result<void> replace(const std::string& resource,
                                     const std::vector<SpecFile>& files, Obsolete obsolete);
  /// Whether another resource has it, too.
  [[nodiscard]] bool is_shared(const std::string& resource, const std::string& path) const;
  /// Of an earlier run, by a resource of which all is expected.
  bool adopt(std::string_view name, const std::string& path);

  const std::string path_;
  const IsOurs is_ours_;

  mutable std::mutex mutex_;  ///< Never held while something blocks.
  std::map<std::string, FilePaths>
      expected_;  ///< By resource. Guarded by mutex_, as the next three.
  std::map<std::string, std::string> prefixes_;  ///< … of which all is expected.
  FilePaths writers_;                            ///< Resources.
  bool sole_writer_ = false;

  std::timed_mutex access_mutex_;  ///< Whose Turn it is.
  /// When that began; the epoch: it is nobody's.
  std::atomic<std::chrono::steady_clock::time_point> access_since_{};
  std::atomic<bool> old_removal_done_ = false;
  std::map<std::string, FilePaths> written_;   ///< By resource. Of whose Turn it is, as the next.
  std::optional<Result<size_t>> old_removed_;  ///< Null: not yet.
};

}  // namespace patchbay::specs
