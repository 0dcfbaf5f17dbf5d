#include "render/machine_json.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace patchbay::render {
namespace {

class Tree {
 public:
  explicit Tree(const NodeHardware& machine)
      : machine_(machine), units_(machine.devices.size(), Json::array()) {
    for (size_t index = 0; index < machine.devices.size(); ++index) {
      const HardwareDevice& device = machine.devices[index];
      by_path_.emplace(device.syspath, index);
      if (device.number) by_number_.emplace(*device.number, index);
    }
  }

  void add(const status::NodeStatus& status) {
    for (const status::ResourceStatus& resource : status.resources) {
      for (const inventory::Unit& unit : resource.resolved.snapshot->units) {
        for (const inventory::UnitDevice& device : unit.members->devices) {
          add(resource.resolved.name(), unit, *device.facts);
        }
      }
    }
  }

  [[nodiscard]] Json json() const {
    Json devices = Json::array();
    std::unordered_map<size_t, size_t> reported_indexes;  // Only nodes that are written.
    for (size_t index = 0; index < machine_.devices.size(); ++index) {
      const HardwareDevice& device = machine_.devices[index];
      const auto above = nearest_ancestor(device.syspath);
      if (!is_reported(index, above)) continue;
      reported_indexes.emplace(index, devices.size());
      Json json;
      json["path"] = device.syspath;
      json["parent"] = above && reported_indexes.contains(*above)
                           ? Json(reported_indexes.at(*above))
                           : Json(nullptr);
      json["kind"] = device.kind;
      json["name"] = device.name;
      json["label"] = device.label;
      json["driver"] = device.driver;
      json["devnode"] = device.devnode;
      json["numaNode"] = device.node ? Json(*device.node) : Json(nullptr);
      json["units"] = units_[index];
      devices.push_back(std::move(json));
    }
    return {{"devices", std::move(devices)},
            {"otherUnits", other_units_},
            {"truncated", machine_.truncated}};
  }

 private:
  static Json unit_json(const std::string& resource, const inventory::Unit& unit,
                        const DeviceFacts& facts) {
    return {{"resource", resource},
            {"unit", unit.id},
            {"healthy", unit.healthy},
            {"device", facts.devnode.empty() ? facts.key : facts.devnode}};
  }

  void add(const std::string& resource, const inventory::Unit& unit, const DeviceFacts& facts) {
    const auto index = index_of(facts);
    Json& units = index ? units_[*index] : other_units_;
    Json json = unit_json(resource, unit, facts);
    // Several of its devices may be below one hardware node.
    if (units.empty() || units.back() != json) units.push_back(std::move(json));
  }

  [[nodiscard]] std::optional<size_t> index_of(const DeviceFacts& facts) const {
    if (facts.number) {
      if (const auto found = by_number_.find(*facts.number); found != by_number_.end()) {
        return found->second;
      }
    }
    const std::string path(facts.syspath());
    const auto found = by_path_.find(path);
    return found != by_path_.end() ? std::optional(found->second) : nearest_ancestor(path);
  }

  /// The nearest hardware node above the path.
  [[nodiscard]] std::optional<size_t> nearest_ancestor(std::string_view path) const {
    for (size_t end = path.rfind('/'); end != std::string_view::npos; end = path.rfind('/')) {
      path = path.substr(0, end);
      const auto found = by_path_.find(path);
      if (found != by_path_.end()) return found->second;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_reported(size_t index, std::optional<size_t> above) const {
    const std::string& kind = machine_.devices[index].kind;
    return kind == "pci" || kind == "usb" || above || !units_[index].empty();
  }

  const NodeHardware& machine_;
  std::vector<Json> units_;  ///< By index of the hardware node.
  Json other_units_ = Json::array();
  std::unordered_map<std::string_view, size_t> by_path_;
  std::map<DeviceNumber, size_t> by_number_;
};

}  // namespace

Json machine_json(const status::NodeStatus& status, const NodeHardware& machine) {
  Tree tree(machine);
  tree.add(status);
  return tree.json();
}

}  // namespace patchbay::render
