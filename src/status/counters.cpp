#include "status/counters.h"

namespace patchbay::status {

ResourceCounters::~ResourceCounters() {
  for (const auto& probes : probes_) delete probes.load();
}

ProbeCounters& ResourceCounters::probes(Check::Kind kind) {
  std::atomic<ProbeCounters*>& place = probes_[static_cast<size_t>(kind)];
  if (ProbeCounters* const known = place.load()) return *known;
  auto fresh = std::make_unique<ProbeCounters>();
  ProbeCounters* known = nullptr;
  if (!place.compare_exchange_strong(known, fresh.get())) return *known;
  return *fresh.release();
}

const ProbeCounters* ResourceCounters::probes_if_any(Check::Kind kind) const {
  return probes_[static_cast<size_t>(kind)].load();
}

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
