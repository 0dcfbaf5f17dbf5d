#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Who may open a device node in the container: what `mode`, `uid` and `gid` of an entry say. What
/// is absent is the container runtime's choice. A value.
struct NodeAccess {
  std::optional<uint32_t> mode{};  ///< At most 0777.
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};

  [[nodiscard]] bool empty() const { return !mode && !uid && !gid; }
  /// ", mode 0660, uid 1000, gid 20"; empty if nothing is given.
  [[nodiscard]] std::string to_text() const;
  friend auto operator<=>(const NodeAccess&, const NodeAccess&) = default;
};

/// None if a value is wrong. Every mistake is reported, also where a group that does not write CDI
/// specs has one of the keys.
[[nodiscard]] std::optional<NodeAccess> compile_access(const config::DeviceEntrySpec& spec,
                                                       bool writes_cdi,
                                                       config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
