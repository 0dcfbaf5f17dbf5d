#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "observe/counters.h"
#include "observe/journal.h"
#include "observe/node_status.h"
#include "observe/unit_selection.h"

/// The status as JSON; schemas/status.v1.schema.json describes it. Pure.
namespace patchbay::observe {

/// What of it is asked for.
struct StatusQuery {
  std::string resource{};  ///< Its name; empty: all.
  UnitSelection units{};   ///< Of each resource. Of none at all, there is no list of them.
  size_t max_refused = UnitSelection::kAll;  ///< Of each resource, at most so many; as for units.
};

[[nodiscard]] Json status_json(const NodeStatus& status, const Counters& counters,
                               const StatusQuery& query = {});

[[nodiscard]] Json event_json(const Event& event);
[[nodiscard]] Json events_json(std::span<const Event> events);

}  // namespace patchbay::observe
