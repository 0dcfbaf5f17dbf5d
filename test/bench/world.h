#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/facts.h"
#include "rules/plan.h"

/// Nodes that nobody has: as many rules and devices as are asked for, always the same ones.
namespace patchbay::bench {

/// How much there is.
struct Size {
  size_t devices = 1'000;
  size_t rules = 100;
  size_t subsystems = 5;  ///< The rules are spread over these.
};

/// One resource for each rule, as YAML: many rules look at one subsystem, and tell their devices,
/// each of which is a unit, by the product.
[[nodiscard]] std::string plain_rules(const Size& size);
/// The same, but four devices are a unit: what the group matches, two of a member, one of another.
[[nodiscard]] std::string grouped_rules(const Size& size);
/// One resource of all that a pattern finds, as YAML, each with a probe of its file.
[[nodiscard]] std::string path_rule();
/// Throws, with what is wrong, if the list of resources cannot be compiled.
[[nodiscard]] rules::PlanPtr plan_of(const std::string& resources);

/// "sub3": what devices of that rule are in.
[[nodiscard]] std::string subsystem_of(const Size& size, size_t rule);
/// A USB device for the rule, with about as many facts as rules ask for. `number` tells it from
/// others.
[[nodiscard]] DeviceFacts device(const Size& size, size_t number, size_t rule);
/// Those of plain_rules(), and of grouped_rules().
[[nodiscard]] std::vector<DeviceFactsPtr> plain_devices(const Size& size);
[[nodiscard]] std::vector<DeviceFactsPtr> grouped_devices(const Size& size);
/// What path_rule() finds.
[[nodiscard]] DeviceFacts file(size_t number);
/// PCI functions below 32 ports of each of 8 switches, on two NUMA nodes.
[[nodiscard]] DeviceFacts function(size_t number);

/// What is known of a device before it is asked for more.
[[nodiscard]] DeviceFacts cheap_of(const DeviceFacts& facts);
/// The same device with another property, for each `round` another one; it matches as before.
[[nodiscard]] DeviceFactsPtr changed(const DeviceFacts& facts, size_t round);

}  // namespace patchbay::bench
