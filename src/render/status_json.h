#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "render/unit_selection.h"
#include "status/counters.h"
#include "status/journal.h"
#include "status/node_status.h"

/// Writes the status as JSON, which schemas/status.v1.schema.json describes. Names are as received
/// from the kubelet and from devices; json_text() escapes them. Pure.
namespace patchbay::render {

/// Selects the values of the status that the JSON contains.
struct StatusQuery {
  std::string resource{};                    ///< Name of the only resource. Empty for all.
  UnitSelection units{};                     ///< For each resource. A limit of 0 omits the units.
  size_t max_refused = UnitSelection::kAll;  ///< Maximum number of refused devices per resource. 0
                                             ///< omits all results of add_not_offered().
};

[[nodiscard]] Json status_json(const status::NodeStatus& status, const status::Counters& counters,
                               const StatusQuery& query = {});

[[nodiscard]] Json event_json(const status::Event& event);
[[nodiscard]] Json events_json(std::span<const status::Event> events);

}  // namespace patchbay::render
