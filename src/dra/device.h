#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "inventory/snapshot.h"
#include "rules/plan/plan.h"

namespace patchbay::dra {

/// A semantic version.
struct Version {
  std::string text;
  friend bool operator==(const Version&, const Version&) = default;
};

/// The value of an attribute of a DRA device.
using AttributeValue = std::variant<std::string, int64_t, bool, Version>;

/// A DRA device: a unit as a ResourceSlice has it.
struct Device {
  std::string name;
  /// By name. A name without a domain belongs to the driver.
  std::map<std::string, AttributeValue> attributes;
  friend bool operator==(const Device&, const Device&) = default;
};

/// An attribute that a device does not have.
struct Omitted {
  std::string attribute;
  std::string reason;  ///< For people; safe to print.
  friend bool operator==(const Omitted&, const Omitted&) = default;
};

struct MadeDevice {
  Device device;
  /// The attributes of the configuration that are omitted, and those of the hardware whose value
  /// cannot be published. Absent values of the hardware are not reported.
  std::vector<Omitted> omitted;
};

/// Makes the DRA device of a unit, with nothing that the API server would reject. An attribute
/// without a usable value is omitted, and never cut or empty, because such values would match each
/// other. `unit` must be a unit of `resource`. Pure; any thread.
[[nodiscard]] MadeDevice make_device(const rules::ResourcePlan& resource,
                                     const inventory::Unit& unit);

}  // namespace patchbay::dra
