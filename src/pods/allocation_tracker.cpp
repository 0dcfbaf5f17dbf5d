#include "pods/allocation_tracker.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace patchbay::pods {
namespace {

using status::Assignment;
using status::Container;
using status::DeviceAssignments;

const Container& container_of(const Assignment& assignment) { return *assignment.container; }

std::vector<Assignment>::const_iterator lower_bound_of(const std::vector<Assignment>& assignments,
                                                       const Container& container) {
  return std::ranges::lower_bound(assignments, container, {}, container_of);
}

/// Since when the container has the device; `before` is the previous state of the device.
AllocationTracker::Time since_of(const Container& container, const DeviceAssignments* before,
                                 AllocationTracker::Time asked) {
  if (before == nullptr) return asked;
  const auto known = lower_bound_of(before->assignments, container);
  const bool is_known = known != before->assignments.end() && *known->container == container;
  // A new container of the same name may have got it.
  if (before->allocated && *before->allocated <= asked &&
      (!is_known || *before->allocated > known->since)) {
    return *before->allocated;
  }
  return is_known ? known->since : asked;
}

}  // namespace

void AllocationTracker::allocated(const std::string& resource,
                                  const std::vector<std::string>& devices, Time at) {
  shared_ = nullptr;
  for (const std::string& id : devices) {
    if (allocated_ >= kMaxPending) drop_oldest();
    DeviceAssignments& device = devices_[resource][id];
    if (!device.allocated) ++allocated_;
    device.allocated = at;
  }
}

void AllocationTracker::take(const std::vector<DeviceAllocation>& allocations, Time asked) {
  shared_ = nullptr;
  const status::AssignmentsByResource before = std::exchange(devices_, {});
  const auto device_before = [&](const DeviceAllocation& one) -> const DeviceAssignments* {
    const auto resource = before.find(one.resource);
    if (resource == before.end()) return nullptr;
    const auto device = resource->second.find(one.device);
    return device == resource->second.end() ? nullptr : &device->second;
  };
  for (const DeviceAllocation& one : allocations) {
    DeviceAssignments& device = devices_[one.resource][one.device];
    const auto at = lower_bound_of(device.assignments, *one.container);
    // One entry for each of its NUMA nodes.
    if (at != device.assignments.end() && *at->container == *one.container) continue;
    device.assignments.insert(at, {.container = one.container,
                                   .since = since_of(*one.container, device_before(one), asked)});
  }
  allocated_ = 0;
  for (const auto& [resource, devices] : before) {
    for (const auto& [id, device] : devices) {
      if (!device.allocated) continue;
      const auto current = devices_.find(resource);
      const bool is_allocated = current != devices_.end() && current->second.contains(id);
      if (!is_allocated && asked - *device.allocated >= kSettleTime) continue;
      devices_[resource][id].allocated = device.allocated;
      ++allocated_;
    }
  }
}

ResourceNames AllocationTracker::resources() const {
  ResourceNames names;
  for (const auto& [name, devices] : devices_) names.insert(name);
  return names;
}

std::shared_ptr<const status::AssignmentsByResource> AllocationTracker::all() const {
  if (!shared_) shared_ = std::make_shared<const status::AssignmentsByResource>(devices_);
  return shared_;
}

void AllocationTracker::drop_oldest() {
  std::optional<Time> oldest;
  for (const auto& [resource, devices] : devices_) {
    for (const auto& [id, device] : devices) {
      if (device.allocated && (!oldest || *device.allocated < *oldest)) oldest = device.allocated;
    }
  }
  for (auto& [resource, devices] : devices_) {
    for (auto& [id, device] : devices) {
      if (device.allocated != oldest) continue;
      device.allocated.reset();
      --allocated_;
    }
    std::erase_if(devices, [](const auto& device) {
      return device.second.assignments.empty() && !device.second.allocated;
    });
  }
  std::erase_if(devices_, [](const auto& resource) { return resource.second.empty(); });
}

}  // namespace patchbay::pods
