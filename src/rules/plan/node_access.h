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

/// Compiles the access keys. Reports every mistake. Returns null after a mistake. The keys have no
/// effect outside a CDI spec of Patchbay, and optional nodes are not in that spec. So the keys are
/// a mistake without `writes_cdi`, and in an optional entry.
[[nodiscard]] std::optional<NodeAccess> compile_access(const config::DeviceEntrySpec& spec,
                                                       bool writes_cdi,
                                                       config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
