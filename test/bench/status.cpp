#include "bench/status.h"

#include <chrono>

#include "bench/node.h"

namespace patchbay::bench {

observe::NodeStatus status_of(const inventory::Inventory& inventory, observe::Counters& counters) {
  observe::NodeStatus status;
  status.at = kNow;
  status.plan = inventory.plan();
  for (const auto& resource : inventory.last().resources) {
    counters.of(resource.name())->allocate.add(true, std::chrono::milliseconds(1));
    status.resources.push_back(
        {.resolved = resource,
         .registration = {.state = observe::RegistrationStatus::State::registered,
                          .since = kNow,
                          .failure = "",
                          .endpoint = "patchbay-a.sock",
                          .streams = 1}});
  }
  return status;
}

}  // namespace patchbay::bench
