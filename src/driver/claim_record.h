#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/result.h"
#include "base/words.h"
#include "inventory/allocate.h"
#include "model/check.h"

/// Prepares the ResourceClaims of Pods for the kubelet, and remembers them across restarts.
namespace patchbay::driver {

/// The progress of a ResourceClaim.
enum class ClaimPhase {
  preparing,       ///< Steps may have run. Their result is unknown.
  prepared,        ///< All steps succeeded, and the kubelet may have the answer.
  releasing,       ///< No container has the devices. Steps of `release` may have run.
  release_failed,  ///< As `releasing`, but the kubelet has the answer that all is done.
};

/// One DRA device of a ResourceClaim, with all that its containers get from it.
struct RecordedDevice {
  std::string request;  ///< AllocationResult::request.
  std::string pool;
  std::string device;         ///< The name of the DRA device.
  std::string resource;       ///< The whole name, with domain.
  std::string unit;           ///< The id of the unit.
  bool admin_access = false;  ///< AllocationResult::admin_access.
  Json published{};           ///< The DRA device as slices have it: see published_device().
  /// The hardware that no other ResourceClaim may have: see exclusive_keys(). Empty for
  /// administrative access.
  std::vector<std::string> keys{};
  std::vector<inventory::AllocatedDevice> nodes{};
  std::vector<inventory::AllocatedMount> mounts{};
  std::vector<std::string> cdi_names{};  ///< CDI devices of other programs.
  std::vector<Step> steps{};             ///< The steps of `preStart`.
  std::vector<Step> release{};           ///< The steps of `release`.
  Json unknown = Json::object();         ///< Fields of a later program. They are written again.

  friend bool operator==(const RecordedDevice&, const RecordedDevice&) = default;
};

/// A Pod that a ResourceClaim is reserved for.
struct ClaimPod {
  std::string name;
  std::string uid;

  friend bool operator==(const ClaimPod&, const ClaimPod&) = default;
};

using EnvsByRequest = std::map<std::string, std::map<std::string, std::string>>;

/// The state of one ResourceClaim. A record has all data to answer the kubelet without the API
/// server. A plain value.
struct ClaimRecord {
  std::string driver;
  std::string uid;
  std::string name_space;
  std::string name;
  ClaimPhase phase = ClaimPhase::preparing;
  std::string boot_id{};                  ///< The boot in which the record was made.
  std::vector<RecordedDevice> devices{};  ///< In the order of the allocation.
  EnvsByRequest envs{};                   ///< Variables of the containers.
  /// `$(claim)`: the name of the ResourceClaim in its Pod.
  std::string claim{};
  std::vector<ClaimPod> pods{};  ///< The Pods for which it was prepared first.
  /// `dra.releaseTimeout` when it was prepared.
  std::chrono::milliseconds release_timeout{};
  /// When the first attempt to release it began. Zero: there was none.
  std::chrono::system_clock::time_point release_since{};
  std::string failure{};          ///< Why its last release failed. Empty: it has not failed.
  Json unknown = Json::object();  ///< Fields of a later program. They are written again.

  friend bool operator==(const ClaimRecord&, const ClaimRecord&) = default;
};

/// Whether the text can be the uid of a ResourceClaim: letters, digits and '-', with a letter or
/// digit first, at most 64 bytes. Such a uid is safe as part of a file name and of a CDI name.
[[nodiscard]] bool is_claim_uid(std::string_view text);

/// "ResourceClaim lab/disk", for messages.
[[nodiscard]] std::string claim_text(const std::string& name_space, const std::string& name);

/// Returns the record as JSON text. AllocatedDevice::optional and AllocatedMount::optional are
/// omitted, because a record has only nodes and mounts that exist. Pure; any thread.
[[nodiscard]] std::string to_text(const ClaimRecord& record);

/// Error::number if a newer program wrote a record in another format.
inline constexpr int kNewerFormat = EPROTONOSUPPORT;

/// Reads the text of to_text(). Fails if it is malformed, or with kNewerFormat. Pure; any thread.
[[nodiscard]] Result<ClaimRecord> read_claim_record(std::string_view text);

}  // namespace patchbay::driver

namespace patchbay {

template <>
inline constexpr std::array<std::string_view, 4> kWords<driver::ClaimPhase>{
    "preparing", "prepared", "releasing", "releaseFailed"};

}  // namespace patchbay
