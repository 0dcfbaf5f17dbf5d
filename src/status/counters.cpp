#include "status/counters.h"

namespace patchbay::status {

std::shared_ptr<ResourceCounters> Counters::of(const std::string& resource) {
  const std::lock_guard lock(mutex_);
  auto& counters = resources_[resource];
  if (!counters) counters = std::make_shared<ResourceCounters>();
  return counters;
}

std::map<std::string, std::shared_ptr<const ResourceCounters>> Counters::all() const {
  const std::lock_guard lock(mutex_);
  return {resources_.begin(), resources_.end()};
}

}  // namespace patchbay::status
