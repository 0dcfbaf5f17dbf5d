#include "inventory/claims.h"

#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

using Owners = std::map<DeviceNumber, const KnownDevice*>;

auto order(const Match& match) { return std::tuple(match.resource, match.group); }

/// Which of the nodes with one number has the device. Visited in natural order.
Owners owners_of(const DeviceTable& devices) {
  Owners owners;
  for (const auto& [key, device] : devices) {
    if (!device.facts->number || device.matches.empty()) continue;
    const auto [owner, is_new] = owners.emplace(*device.facts->number, &device);
    if (!is_new && order(device.matches.front()) < order(owner->second->matches.front())) {
      owner->second = &device;
    }
  }
  return owners;
}

const KnownDevice& owner_of(const KnownDevice& device, const Owners& owners) {
  return device.facts->number ? *owners.at(*device.facts->number) : device;
}

std::string claimed_by(const rules::Plan& plan, const KnownDevice& device,
                       const KnownDevice& owner) {
  const std::string& resource = plan.resources[owner.matches.front().resource].name;
  if (&owner == &device) return fmt::format("claimed by {}", resource);
  return fmt::format("the same device node as {}, claimed by {}", printable(owner.facts->key),
                     resource);
}

}  // namespace

Claims settle_claims(const rules::Plan& plan, const DeviceTable& devices) {
  Claims claims;
  claims.by_resource.resize(plan.resources.size());
  const Owners owners = owners_of(devices);
  for (const auto& [key, device] : devices) {
    if (device.matches.empty()) continue;
    const KnownDevice& owner = owner_of(device, owners);
    const Match* last = nullptr;
    for (const Match& match : device.matches) {
      // Of one resource, only the first group that matches has a say.
      if (last != nullptr && last->resource == match.resource) continue;
      if (last == nullptr && &owner == &device) {
        claims.by_resource[match.resource].push_back({&device, &match});
      } else {
        claims.refusals.push_back({match.resource, match.group, key, match.id,
                                   claimed_by(plan, device, owner), Refusal::Kind::claimed});
      }
      last = &match;
    }
  }
  return claims;
}

}  // namespace patchbay::inventory
