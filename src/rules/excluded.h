#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "rules/mismatch.h"

namespace patchbay::rules {

/// A resource, or one group of it, that is not for this node.
struct Excluded {
  std::string resource;         ///< Its whole name.
  std::optional<size_t> group;  ///< Which of its groups, as written, from 0; null: all of it.
  config::Position at;          ///< Of the resource or the group.
  std::vector<Mismatch> reasons;
  bool undetermined = false;  ///< It may be, but what tells does not answer.
};

}  // namespace patchbay::rules
