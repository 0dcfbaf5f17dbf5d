#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// The access rights of the device node in the container: `mode`, `uid` and `gid` of a device
/// entry. The container runtime chooses absent values.
struct NodeAccess {
  std::optional<uint32_t> mode{};  ///< At most 0777.
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};

  [[nodiscard]] bool empty() const { return !mode && !uid && !gid; }
  /// Returns the values for messages: ", mode 0660, uid 1000, gid 20". Empty if all are absent.
  [[nodiscard]] std::string to_text() const;
  friend auto operator<=>(const NodeAccess&, const NodeAccess&) = default;
};

/// Where the runtime finds the device nodes and mounts of a unit.
enum class EditsIn {
  answer,      ///< In the answer to Allocate.
  unit_spec,   ///< In the CDI spec of the unit (`cdi: write`), except optional ones.
  claim_spec,  ///< In the CDI spec of the ResourceClaim (`serve: dra`).
};

/// Compiles the access keys. Reports every mistake. Returns null if a value is wrong. The keys have
/// an effect only in a CDI spec of Patchbay, so they are a mistake for other nodes.
[[nodiscard]] std::optional<NodeAccess> compile_access(const config::DeviceEntrySpec& spec,
                                                       EditsIn edits_in,
                                                       config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
