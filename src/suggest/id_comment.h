#pragma once

#include <string_view>

#include "config/yaml_tree.h"
#include "inventory/snapshot.h"
#include "suggest/proposal.h"

namespace patchbay::suggest {

/// Adds a comment that says where the id of the unit comes from, and when it changes.
void add_id_comment(const inventory::Unit& unit, Proposal& proposal);

/// Returns the first key of a resource after the keys of the match. The comment on a default id is
/// above that key.
[[nodiscard]] std::string_view key_after_match(const config::YamlNode& resource);

}  // namespace patchbay::suggest
