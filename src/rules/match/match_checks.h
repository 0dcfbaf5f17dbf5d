#pragma once

#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"

/// Checks of single keys of a match. Mistakes are reported.
namespace patchbay::rules {

/// Returns the position of the key in a match, or of the match if the key is absent.
[[nodiscard]] config::Position key_position(const config::MatchSpec& spec, std::string_view key);

/// Checks the names of a static rule.
void check_static_names(const std::vector<config::Located<std::string>>& names,
                        config::Diagnostics& diagnostics);

/// Checks the name of a udev property.
void check_property_name(const config::Located<std::string>& name,
                         config::Diagnostics& diagnostics);

/// Reports the keys of `spec` that a rule of this kind cannot have. `spec` is a match, or a block
/// of a match.
void check_match_keys(const config::MatchSpec& spec, RuleKind kind,
                      config::Diagnostics& diagnostics);

/// Reports that a match has no key that selects devices.
void report_no_kind(const config::MatchSpec& spec, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
