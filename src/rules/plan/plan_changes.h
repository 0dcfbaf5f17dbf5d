#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

/// The change of a resource when one plan replaces another.
struct ResourceChange {
  enum class Kind : uint8_t {
    kept,          ///< Same meaning; the kubelet is not notified.
    changed,       ///< Changed; socket and stream stay.
    reregistered,  ///< The data in Register changed: see same_registration().
    added,
    removed,
  };
  std::string name;
  Kind kind = Kind::kept;
  /// The configuration keys with a changed meaning, for `changed` and `reregistered`.
  std::vector<std::string_view> keys{};
  /// ResourceClaims of the resource lose their DRA driver or the names of their units. They keep
  /// the devices until their Pods end.
  bool claims_outlive_edit = false;

  friend bool operator==(const ResourceChange&, const ResourceChange&) = default;
};

/// Returns the changes of all resources: first the resources of `now` in the order of `now`, then
/// the removed resources in the order of `before`.
[[nodiscard]] std::vector<ResourceChange> changes_between(const Plan& before, const Plan& now);

/// Whether both plans have resources with the same meaning in the same order. The order matters,
/// because the first resource that matches a device gets the device.
[[nodiscard]] bool equivalent(const Plan& a, const Plan& b);

/// Whether both resources send the same data in Register: see plugin_options() in
/// plugin/plugin_messages.h. If the data has changed, the plugin must call Register again.
[[nodiscard]] bool same_registration(const ResourcePlan& a, const ResourcePlan& b);

}  // namespace patchbay::rules

namespace patchbay {

template <>
inline constexpr std::array<std::string_view, 5> kWords<rules::ResourceChange::Kind>{
    "kept", "changed", "re-registered", "new", "removed"};

}  // namespace patchbay
