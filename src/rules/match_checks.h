#pragma once

#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/condition.h"

/// What is asked of single parts of a match. Mistakes are reported.
namespace patchbay::rules {

/// Where that key of a match stands; where it does not, the match.
[[nodiscard]] config::Position key_position(const config::MatchSpec& spec, std::string_view key);

/// The names of a static rule.
void check_static_names(const std::vector<config::Located<std::string>>& names,
                        config::Diagnostics& diagnostics);

/// The name of a property of udev's.
void check_property_name(const config::Located<std::string>& name,
                         config::Diagnostics& diagnostics);

/// The variables of a condition on that fact: a value that is compared with itself tells nothing,
/// and then it is false.
bool check_not_itself(const Condition& condition, Fact fact, std::string_view argument,
                      const config::Position& at, config::Diagnostics& diagnostics);

/// Warns of a `not` that does not say what holds for a device without the property.
void warn_of_absent(const config::ConditionSpec& condition, const std::string& property,
                    config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
