#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// Maximum size of a list and of a response to Allocate: 3.5 MiB. The kubelet accepts at most 4 MiB
/// in one message.
inline constexpr size_t kMaxKubeletMessageBytes = size_t{7} << 19U;

/// The number of shares of a unit: a number, or a total divided by the size of each share.
struct SharePlan {
  std::optional<Template> count;  ///< Null: `total` and `each` are set.
  std::optional<Template> total;  ///< Divided by `each`.
  std::optional<Template> each;
  std::optional<size_t> per_container;  ///< Maximum number of shares of one unit in a container.

  /// Maximum number of shares of a unit, and of units of a resource. The list with all of them must
  /// fit in one message. The longest item is an unhealthy device with an id of 63 characters and a
  /// NUMA node. Such an item has 84 bytes.
  static constexpr size_t kMaxShares = kMaxKubeletMessageBytes / 84;

  /// Reports every mistake. Returns null after a mistake.
  [[nodiscard]] static std::optional<SharePlan> compile(const config::ShareSpec& spec,
                                                        const TemplateRules& rules,
                                                        config::Diagnostics& diagnostics);

  /// Returns the number of shares of one unit, at least 1. The error says why the unit cannot be
  /// shared.
  [[nodiscard]] Result<size_t> shares(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;

  /// Whether both give every unit the same number of shares: 2Gi equals 2048Mi.
  friend bool operator==(const SharePlan& a, const SharePlan& b);
};

}  // namespace patchbay::rules
