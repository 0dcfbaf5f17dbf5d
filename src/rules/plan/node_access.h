#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// `mode`, `uid` and `gid` of a device entry: who can open the device node in the container. The
/// container runtime chooses absent values. A value type.
struct NodeAccess {
  std::optional<uint32_t> mode{};  ///< At most 0777.
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};

  [[nodiscard]] bool empty() const { return !mode && !uid && !gid; }
  /// ", mode 0660, uid 1000, gid 20". Empty if nothing is given.
  [[nodiscard]] std::string to_text() const;
  friend auto operator<=>(const NodeAccess&, const NodeAccess&) = default;
};

/// Compiles the access keys. Returns nullopt if a value is wrong. Every mistake is reported, also
/// one of the keys for a node that is not in a CDI spec of Patchbay: optional ones never are.
[[nodiscard]] std::optional<NodeAccess> compile_access(const config::DeviceEntrySpec& spec,
                                                       bool writes_cdi,
                                                       config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
