#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/facts.h"
#include "rules/plan/plan.h"

/// Simulated nodes of any size, with the same rules and devices each time.
namespace patchbay::bench {

/// The size of the node.
struct Size {
  size_t devices = 1'000;
  size_t rules = 100;
  size_t subsystems = 5;  ///< Number of subsystems to which the rules are spread.
};

/// One resource for each rule, as YAML. Many rules match one subsystem and distinguish their
/// devices by the product. Each device is a unit.
[[nodiscard]] std::string plain_rules(const Size& size);
/// As plain_rules(), but a unit has four devices: one that matches, two of a member, and one of
/// another member.
[[nodiscard]] std::string grouped_rules(const Size& size);
/// One resource for all files that a pattern finds, as YAML, each with a probe of its file.
[[nodiscard]] std::string path_rule();
/// Compiles the list of resources. Throws the diagnostics if that fails.
[[nodiscard]] rules::PlanPtr plan_of(const std::string& resources);

/// The subsystem of the rule's devices, such as "sub3".
[[nodiscard]] std::string subsystem_of(const Size& size, size_t rule);
/// A USB device for the rule, with a typical number of facts. `number` makes it unique.
[[nodiscard]] DeviceFacts device(const Size& size, size_t number, size_t rule);
/// The devices for plain_rules() and grouped_rules().
[[nodiscard]] std::vector<DeviceFactsPtr> plain_devices(const Size& size);
[[nodiscard]] std::vector<DeviceFactsPtr> grouped_devices(const Size& size);
/// A file that path_rule() matches.
[[nodiscard]] DeviceFacts file(size_t number);
/// A PCI function. The functions are below 32 ports of each of 8 switches, on two NUMA nodes.
[[nodiscard]] DeviceFacts function(size_t number);

/// The facts of a device that are known before it is read.
[[nodiscard]] DeviceFacts cheap_of(const DeviceFacts& facts);
/// The same device with another property value for each `round`; it matches as before.
[[nodiscard]] DeviceFactsPtr changed(const DeviceFacts& facts, size_t round);

}  // namespace patchbay::bench
