#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "render/unit_selection.h"
#include "status/counters.h"
#include "status/journal.h"
#include "status/node_status.h"

/// The status as JSON; schemas/status.v1.schema.json describes it. Names come unchanged from the
/// kubelet and from devices; json_text() escapes them. Pure.
namespace patchbay::render {

/// The requested parts of the status.
struct StatusQuery {
  std::string resource{};                    ///< Name of a resource; empty: all.
  UnitSelection units{};                     ///< Per resource. Limit 0 omits the list.
  size_t max_refused = UnitSelection::kAll;  ///< Maximum per resource. 0 omits the list.
};

[[nodiscard]] Json status_json(const status::NodeStatus& status, const status::Counters& counters,
                               const StatusQuery& query = {});

[[nodiscard]] Json event_json(const status::Event& event);
[[nodiscard]] Json events_json(std::span<const status::Event> events);

}  // namespace patchbay::render
