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

/// The requested parts of the status.
struct StatusQuery {
  std::string resource{};                    ///< Name of a resource; empty: all.
  UnitSelection units{};                     ///< Per resource. Limit 0 omits the list.
  size_t max_refused = UnitSelection::kAll;  ///< Maximum per resource. 0 omits the list.
};

[[nodiscard]] Json status_json(const NodeStatus& status, const Counters& counters,
                               const StatusQuery& query = {});

[[nodiscard]] Json event_json(const Event& event);
[[nodiscard]] Json events_json(std::span<const Event> events);

}  // namespace patchbay::observe
