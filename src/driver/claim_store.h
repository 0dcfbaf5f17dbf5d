#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "driver/claim_record.h"
#include "driver/claim_spec.h"

namespace patchbay::driver {

/// Records by the uid of their ResourceClaim.
using ClaimRecords = std::map<std::string, ClaimRecord, std::less<>>;

/// The file of a record that cannot be used.
struct UnreadableRecord {
  Error error;                           ///< Names the file, and says what to do.
  std::optional<ClaimSpecNames> spec{};  ///< Nullopt: its CDI spec cannot be read either.
};

/// All records of earlier runs.
struct StoredClaims {
  ClaimRecords records{};
  std::map<std::string, UnreadableRecord, std::less<>> unreadable{};  ///< By uid.
};

/// Stores a ClaimRecord per file, `DIRECTORY/UID.json`. Files outlive the daemon and a reboot. Any
/// thread. Calls for one uid must not overlap.
class ClaimStore {
 public:
  explicit ClaimStore(std::string directory) : directory_(std::move(directory)) {}

  /// Reads all files. A damaged file does not prevent the use of the others; its devices are those
  /// of its CDI spec. Also removes temporary files of killed processes. Fails if the directory
  /// cannot be read, or if a newer program wrote a file in another format. A missing directory has
  /// no records. Blocking.
  [[nodiscard]] Result<StoredClaims> read_all(const std::string& cdi_directory) const;
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
