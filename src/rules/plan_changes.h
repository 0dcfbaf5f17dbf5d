#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// What becomes of a resource when a plan takes the place of another.
struct ResourceChange {
  enum class Kind : uint8_t {
    kept,          ///< It means the same: the kubelet hears nothing.
    changed,       ///< It goes on with its socket and stream.
    reregistered,  ///< What Register says of it is another, see same_registration().
    added,
    removed,
  };
  std::string name;
  Kind kind = Kind::kept;
  /// Of what is changed or registered anew: the keys of the configuration that mean something else.
  std::vector<std::string_view> keys{};

  friend bool operator==(const ResourceChange&, const ResourceChange&) = default;
};

/// All resources of both, in the order of `now`, then those that are gone in that of `before`.
[[nodiscard]] std::vector<ResourceChange> changes_between(const Plan& before, const Plan& now);

/// Whether all means the same, in the same order: of two resources that want one device the first
/// has it.
[[nodiscard]] bool equivalent(const Plan& a, const Plan& b);

/// Whether the kubelet is told the same of them by Register, which alone can tell it: see
/// plugin_options() in serve/messages.h.
[[nodiscard]] bool same_registration(const ResourcePlan& a, const ResourcePlan& b);

}  // namespace patchbay::rules

namespace patchbay {

template <>
inline constexpr std::array<std::string_view, 5> kWords<rules::ResourceChange::Kind>{
    "kept", "changed", "registered anew", "new", "removed"};

}  // namespace patchbay
