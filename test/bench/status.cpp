#include "bench/status.h"

#include <chrono>

#include "bench/node.h"

namespace patchbay::bench {

status::NodeStatus status_of(const inventory::Inventory& inventory, status::Counters& counters) {
  status::NodeStatus status;
  status.at = kNow;
  status.plan = inventory.plan();
  for (const auto& resource : inventory.last().resources) {
    counters.of(resource.name())->allocate.add(true, std::chrono::milliseconds(1));
    status.resources.push_back(
        {.resolved = resource,
         .registration = {.state = status::RegistrationStatus::State::registered,
                          .since = kNow,
                          .failure = "",
                          .endpoint = "patchbay-a.sock",
                          .streams = 1}});
  }
  return status;
}

}  // namespace patchbay::bench
