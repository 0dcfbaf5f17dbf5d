#include "specs/device_info.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace patchbay::specs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kInfoSuffix = "-device.json";
constexpr const char* kPhysicalFunction = "pf-pci-address";

/// `physical`: address of the physical function; empty: this is not a virtual function.
std::string content_of(const std::string& address, const std::string& physical) {
  Json pci{{"pci-address", address}};
  if (!physical.empty()) pci[kPhysicalFunction] = physical;
  // No other plugin indents by one: this identifies our files.
  const Json info{{"type", "pci"}, {"version", "1.1.0"}, {"pci", std::move(pci)}};
  // Without the handler dump() throws if a string is not UTF-8; the addresses come from /sys.
  return info.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::vector<DeviceInfo> device_infos(const inventory::Snapshot& snapshot) {
  std::vector<DeviceInfo> infos;
  const std::string begin = device_info_prefix(snapshot.resource->name);
  for (const inventory::Unit& unit : snapshot.units) {
    const DeviceFacts* const function = unit.checks ? unit.members->pci_function() : nullptr;
    if (function == nullptr) continue;
    const std::string content = content_of(std::string(function->known.first(Fact::pci, "address")),
                                           std::string(function->known.first(Fact::pci, "physfn")));
    for (size_t component = 0; component < unit.listed(); ++component) {
      infos.push_back({begin + unit.listed_id(component) + std::string(kInfoSuffix), content});
    }
  }
  return infos;
}

std::string device_info_prefix(std::string_view resource) {
  std::string prefix = std::string(resource) + '-';
  std::ranges::replace(prefix, '/', '-');
  return prefix;
}

bool is_our_device_info(std::string_view name, const std::string& content) {
  if (!name.ends_with(kInfoSuffix)) return false;
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object() || !json.contains("pci") || !json["pci"].is_object()) return false;
  const auto text = [&](const char* key) {
    const auto value = json["pci"].find(key);
    return value != json["pci"].end() && value->is_string() ? value->get<std::string>()
                                                            : std::string{};
  };
  return content == content_of(text("pci-address"), text(kPhysicalFunction));
}

}  // namespace patchbay::specs
