#pragma once

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "inventory/allocate.h"
#include "inventory/inventory.h"
#include "rules/compiled.h"

namespace patchbay::inventory {

using Strings = std::vector<std::string>;
using std::chrono::minutes;
using std::chrono::seconds;

/// `resources` is the list below `resources:`, indented by two.
inline rules::PlanPtr plan_of(const std::string& resources) {
  auto compiled = rules::compile_resources(resources);
  EXPECT_EQ(compiled.printed, "");
  return compiled.plan;
}

/// A USB serial adapter: /dev/NAME.
inline DeviceFacts serial(const std::string& name, const std::string& serial_number) {
  DeviceFacts facts;
  facts.key = facts.syspath = "/sys/devices/usb/" + name;
  facts.name = name;
  facts.subsystem = "tty";
  facts.devnode = "/dev/" + name;
  if (!serial_number.empty()) facts.properties["SERIAL"] = serial_number;
  facts.links = {"/dev/serial/by-id/" + name};
  return facts;
}

/// What the pattern found at `path`.
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
  for (const Unit& unit : resolution.snapshots.at(resource)->units) {
    EXPECT_EQ(unit.healthy, unit.reason.empty());
    out.push_back(unit.healthy ? unit.id : unit.id + ": " + unit.reason);
  }
  return out;
}

/// "resource device [id]: reason"
inline Strings refusals(const Resolution& resolution) {
  Strings out;
  for (const Refusal& refusal : resolution.refusals) {
    out.push_back(std::to_string(refusal.resource) + " " + refusal.device + " [" + refusal.id +
                  "]: " + refusal.reason);
  }
  return out;
}

inline void PrintTo(const AllocatedDevice& device, std::ostream* out) {
  *out << device.host_path << "->" << device.container_path << " " << device.permissions;
}

constexpr Inventory::Time kStart{std::chrono::hours(1)};

}  // namespace patchbay::inventory
