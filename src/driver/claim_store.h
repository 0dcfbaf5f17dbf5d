#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "driver/claim_record.h"

namespace patchbay::driver {

/// Records by the uid of their ResourceClaim.
using ClaimRecords = std::map<std::string, ClaimRecord, std::less<>>;

/// All records of earlier runs.
struct StoredClaims {
  ClaimRecords records{};
  /// By uid: why a file cannot be used. The Error names the file, and says what to do.
  std::map<std::string, Error, std::less<>> unreadable{};
};

/// Stores a ClaimRecord per file, `DIRECTORY/UID.json`. Files outlive the daemon and a reboot. Any
/// thread. Calls for one uid must not overlap.
class ClaimStore {
 public:
  explicit ClaimStore(std::string directory) : directory_(std::move(directory)) {}

  /// Reads all files. A damaged file does not prevent the use of the others. Also removes temporary
  /// files of killed processes. Fails if the directory cannot be read. A missing one has no
  /// records. Blocking.
  [[nodiscard]] Result<StoredClaims> read_all() const;
  /// Replaces the file of the record atomically. After it returns, a crash of the machine does not
  /// lose the record. Creates the directory if needed. Fails if the uid is invalid. Blocking.
  [[nodiscard]] Result<void> write(const ClaimRecord& record) const;
  /// Removes the file, also an unreadable one. After it returns, a crash of the machine does not
  /// bring the record back. Does nothing if there is no file. Blocking.
  [[nodiscard]] Result<void> remove(const std::string& uid) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& uid) const;

  const std::string directory_;
};

}  // namespace patchbay::driver
