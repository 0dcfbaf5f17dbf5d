#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/template.h"

namespace patchbay::rules {

/// How many shares a unit has: a number, or a total by the size of each.
struct SharePlan {
  std::optional<Template> count;
  std::optional<Template> total;  ///< With `each`.
  std::optional<Template> each;
  std::optional<size_t> per_container;  ///< The most of one unit that a container gets.

  /// The most shares of a unit.
  static constexpr size_t kMaxShares = 100'000;

  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<SharePlan> compile(const config::ShareSpec& spec,
                                                        const TemplateRules& rules,
                                                        config::Diagnostics& diagnostics);

  /// At least 1; or why the unit cannot be shared.
  [[nodiscard]] Result<size_t> shares(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;

  /// Whether both give every unit the same number: 2Gi is 2048Mi.
  friend bool operator==(const SharePlan& a, const SharePlan& b);
};

}  // namespace patchbay::rules
