#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/claim_record.h"
#include "specs/cdi_spec.h"

/// Builds the CDI spec of a ResourceClaim. Its devices have the kind `DRIVER/claim`, and two sorts
/// of names:
///
///     UID-REQUEST          the variables of a request
///     UID-REQUEST_DEVICE   the nodes and mounts of a DRA device
///
/// Requests and DRA devices have no '_' in their names, so these names are unique. A device without
/// edits is omitted, because runtimes would reject the whole file (docs/dev/kubelet.md: CDI).
namespace patchbay::driver {

/// Returns the CDI devices in the answer to the kubelet for a DRA device of the record. Its own is
/// first, because the kubelet reports health under the first one. That of the request is last.
[[nodiscard]] std::vector<std::string> cdi_ids(const ClaimRecord& record,
                                               const RecordedDevice& device);

/// Returns the spec that has the edits of a record. Null: it would have no device. May block in
/// `resolve`; any thread.
[[nodiscard]] std::optional<std::string> claim_spec(const ClaimRecord& record,
                                                    const specs::ResolveLinks& resolve);

/// Returns the name of the spec's file. specs::is_cdi_file_name() is false for it, so the files of
/// resources and ResourceClaims never mix.
[[nodiscard]] std::string claim_spec_name(std::string_view uid);

/// Writes the spec of the record to the CDI directory, or removes it if it would have no device.
/// Does nothing if the file has this content already. Blocking; any thread.
[[nodiscard]] Result<void> write_claim_spec(const std::string& directory, const ClaimRecord& record,
                                            const specs::ResolveLinks& resolve);

/// The names in a claim_spec().
struct ClaimSpecNames {
  std::string driver;
  std::vector<std::string> devices;  ///< DRA devices with nodes or mounts.
};

/// Reads the names in the spec of a ResourceClaim. Nullopt: it is missing or malformed. Blocking;
/// any thread.
[[nodiscard]] std::optional<ClaimSpecNames> read_claim_spec(const std::string& directory,
                                                            std::string_view uid);

/// Removes the spec of a ResourceClaim if it exists. Blocking; any thread.
[[nodiscard]] Result<void> remove_claim_spec(const std::string& directory, std::string_view uid);

}  // namespace patchbay::driver
