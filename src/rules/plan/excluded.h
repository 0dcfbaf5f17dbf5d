#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "rules/match/mismatch.h"

namespace patchbay::rules {

/// A resource, or one of its groups, that is excluded on this node.
struct Excluded {
  std::string resource;         ///< Full name.
  std::optional<size_t> group;  ///< Index of the group as configured; null: the whole resource.
  config::Position at;          ///< Position of the resource or the group.
  std::vector<Mismatch> reasons;
  bool undetermined = false;  ///< Condition not evaluated yet, because its source is unresponsive.
};

}  // namespace patchbay::rules
