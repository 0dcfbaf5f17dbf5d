#pragma once

#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/match/condition.h"

/// Checks of single keys of a match. Mistakes are reported.
namespace patchbay::rules {

/// The position of this key of a match, or of the match without the key.
[[nodiscard]] config::Position key_position(const config::MatchSpec& spec, std::string_view key);

/// Checks the names of a static rule.
void check_static_names(const std::vector<config::Located<std::string>>& names,
                        config::Diagnostics& diagnostics);

/// Checks the name of a udev property.
void check_property_name(const config::Located<std::string>& name,
                         config::Diagnostics& diagnostics);

/// Checks the variables of a condition on this fact. False if the value is compared with itself.
bool check_not_itself(const Condition& condition, Fact fact, std::string_view argument,
                      const config::Position& at, config::Diagnostics& diagnostics);

/// Warns about a `not` that does not say whether a device without the property matches.
void warn_of_absent(const config::ConditionSpec& condition, const std::string& property,
                    config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
