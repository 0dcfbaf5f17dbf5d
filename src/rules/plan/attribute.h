#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// Limits of the API server for one device: attributes, and bytes of a text or version.
inline constexpr size_t kMaxAttributes = 32;
inline constexpr size_t kMaxAttributeBytes = 64;

/// A compiled item of `dra.attributes`: an attribute that each DRA device of a group has.
struct AttributePlan {
  std::string name;  ///< A C identifier, or `domain/identifier`.
  config::AttributeType type = config::AttributeType::text;
  Template value;

  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const { value.want(wanted, member); }
  friend bool operator==(const AttributePlan&, const AttributePlan&) = default;
};

/// Returns the fault of a text as the value of an attribute, such as "is no whole number". Null: it
/// is valid.
[[nodiscard]] std::optional<std::string> attribute_fault(config::AttributeType type,
                                                         std::string_view text);

/// Compiles `dra.attributes`; the result is sorted by name. Reports every mistake, and omits
/// the attributes with mistakes. `driver`: the name of our driver, which cannot be the domain of a
/// name.
[[nodiscard]] std::vector<AttributePlan> compile_attributes(
    const std::vector<config::AttributeSpec>& specs, std::string_view driver,
    const TemplateRules& rules, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
