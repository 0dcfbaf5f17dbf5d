#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "inventory/allocate.h"
#include "inventory/inventory.h"
#include "rules/compiled.h"

namespace patchbay::inventory {

using Strings = std::vector<std::string>;
using std::chrono::minutes;
using std::chrono::seconds;

/// Compiles a plan. `resources` is the list below `resources:`, indented by two.
inline rules::PlanPtr plan_of(const std::string& resources) {
  auto compiled = rules::compile_resources(resources);
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan;
}

/// As plan_of(), in a file with a DRA driver that has these further keys, such as ", a: b".
inline rules::PlanPtr dra_plan_of(const std::string& resources, const std::string& dra = "") {
  auto compiled = rules::compile_files(
      {{"lab.yaml", "apiVersion: patchbay/v1\nkind: Config\ndra: {driver: dra.example.com" + dra +
                        "}\nresources:\n" + resources}});
  EXPECT_NE(compiled.plan, nullptr) << compiled.printed;
  return compiled.plan;
}

/// The number of devices that some group matches.
inline size_t matched_devices(const Inventory& inventory) {
  return static_cast<size_t>(std::ranges::count_if(
      inventory.devices(), [](const auto& device) { return !device.second.matches.empty(); }));
}

/// A USB serial adapter: /dev/NAME.
inline DeviceFacts serial(const std::string& name, const std::string& serial_number) {
  DeviceFacts facts;
  facts.key = "/sys/devices/usb/" + name;
  facts.name = name;
  facts.subsystem = "tty";
  facts.devnode = "/dev/" + name;
  if (!serial_number.empty()) fake::set(facts, Fact::property, "SERIAL", {serial_number});
  fake::set(facts, Fact::link, {"/dev/serial/by-id/" + name});
  return facts;
}

/// A device below a USB port: /dev/NAME.
inline DeviceFacts usb_child(const std::string& subsystem, const std::string& name,
                             const std::string& port) {
  DeviceFacts facts;
  facts.key = "/sys/devices/" + port + "/" + name;
  facts.name = name;
  facts.subsystem = subsystem;
  facts.devnode = "/dev/" + name;
  fake::set(facts, Fact::usb, "socket", {port});
  return facts;
}

/// The video device of a capture card at the USB port; sound() makes its sound device.
inline DeviceFacts video(const std::string& name, const std::string& port = "1") {
  return usb_child("video4linux", name, port);
}
inline DeviceFacts sound(const std::string& name, const std::string& port = "1") {
  return usb_child("sound", name, port);
}

/// A device of a `static:` rule.
inline DeviceFacts named(const std::string& name) {
  DeviceFacts facts;
  facts.key = static_key(name);
  facts.kind = DeviceKind::static_name;
  facts.name = name;
  return facts;
}

/// A path that the pattern of a rule found.
inline DeviceFacts found(const std::string& pattern, const std::string& path,
                         PathType type = PathType::file) {
  DeviceFacts facts;
  facts.key = path;
  facts.kind = DeviceKind::path;
  facts.name = path.substr(path.rfind('/') + 1);
  facts.path_type = type;
  facts.found_by = {{pattern, path}};
  return facts;
}

inline DeviceFactsPtr shared(DeviceFacts facts) {
  return std::make_shared<const DeviceFacts>(std::move(facts));
}

/// The units of a resource: "id", or "id: reason" of an unhealthy one.
inline Strings units(const Resolution& resolution, size_t resource = 0) {
  Strings out;
  for (const Unit& unit : resolution.resources.at(resource).snapshot->units) {
    EXPECT_EQ(unit.healthy, unit.reason.empty());
    out.push_back(unit.healthy ? unit.id : unit.id + ": " + unit.reason);
  }
  return out;
}

/// All refusals as "RESOURCE DEVICE [ID]: REASON", with the index of the resource.
inline Strings refusals(const Resolution& resolution) {
  Strings out;
  for (size_t resource = 0; resource < resolution.resources.size(); ++resource) {
    for (const Refusal& refusal : resolution.resources[resource].refusals) {
      out.push_back(std::to_string(resource) + " " + refusal.device + " [" + refusal.id +
                    "]: " + refusal.reason);
    }
  }
  return out;
}

/// The refusals of all resources, in order.
inline Refusals all_refusals(const Resolution& resolution) {
  Refusals out;
  for (const ResolvedResource& resource : resolution.resources) {
    out.insert(out.end(), resource.refusals.begin(), resource.refusals.end());
  }
  return out;
}

/// The snapshots of all resources.
inline std::vector<SnapshotPtr> snapshots(const Resolution& resolution) {
  std::vector<SnapshotPtr> out;
  for (const ResolvedResource& resource : resolution.resources) out.push_back(resource.snapshot);
  return out;
}

/// As Inventory::resolve(), but all units have this health.
inline const Resolution& resolve_as(Inventory& inventory, const Health& health,
                                    Inventory::Time now) {
  Healths healths;
  for (const MadeUnitsPtr& units : inventory.offer()) healths.emplace_back(units->size(), health);
  return inventory.make_snapshots(now, healths);
}

/// The devices of a unit by their names, in order; "none" if there is no such unit.
inline Strings devices_of(const Resolution& resolution, const std::string& id,
                          size_t resource = 0) {
  const Unit* const unit = resolution.resources.at(resource).snapshot->find(id);
  if (unit == nullptr) return {"none"};
  Strings names;
  for (const UnitDevice& device : unit->members->devices) names.push_back(device.facts->name);
  return names;
}

/// The allocation of a container with these ids, if every path exists.
inline Result<Allocation> allocated(const Resolution& resolution, const Strings& ids,
                                    size_t resource = 0) {
  return allocate(*resolution.resources.at(resource).snapshot, ids,
                  [](const std::string&, bool) { return true; });
}

/// The variables of an allocation as "NAME=value"; if it failed, the error.
inline Strings envs_of(const Result<Allocation>& allocation) {
  if (!allocation) return {allocation.error().message};
  Strings out;
  for (const auto& [name, value] : allocation->envs) out.push_back(name + "=" + value);
  return out;
}

/// The container paths of the devices of an allocation; if it failed, the error.
inline Strings nodes_of(const Result<Allocation>& allocation) {
  if (!allocation) return {allocation.error().message};
  Strings out;
  for (const AllocatedDevice& device : allocation->devices) out.push_back(device.container_path);
  return out;
}

inline void PrintTo(const AllocatedDevice& device, std::ostream* out) {
  *out << device.host_path << "->" << device.container_path << " " << device.permissions;
}

constexpr Inventory::Time kStart{std::chrono::hours(1)};

}  // namespace patchbay::inventory
