#include "dra/slices.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace patchbay::dra {
namespace {

/// The API server cuts a longer prefix, and adds five characters.
constexpr size_t kMaxPrefixLength = 58;

/// The key is the type of the value.
struct ToJson {
  Json operator()(const std::string& text) const { return {{"string", text}}; }
  Json operator()(int64_t number) const { return {{"int", number}}; }
  Json operator()(bool flag) const { return {{"bool", flag}}; }
  Json operator()(const Version& version) const { return {{"version", version.text}}; }
};

Json device_json(const Device& device) {
  Json attributes = Json::object();
  for (const auto& [name, value] : device.attributes) {
    attributes[name] = std::visit(ToJson{}, value);
  }
  return {{"name", device.name}, {"attributes", std::move(attributes)}};
}

/// The scheduler tries the slices of a node in the order of their names.
std::string name_prefix(const SlicePosition& position) {
  return fmt::format("{:05x}-{}-{}-", position.index, position.driver, position.node)
      .substr(0, kMaxPrefixLength);
}

}  // namespace

std::vector<std::string> drop_duplicates(std::vector<Device>& devices) {
  std::set<std::string> names;
  std::vector<std::string> dropped;
  std::erase_if(devices, [&](const Device& device) {
    const bool is_new = names.insert(device.name).second;
    if (!is_new) dropped.push_back(device.name);
    return !is_new;
  });
  return dropped;
}

std::vector<std::span<const Device>> split_pool(std::span<const Device> devices) {
  std::vector<std::span<const Device>> slices;
  do {
    const auto slice = devices.first(std::min(devices.size(), kMaxDevicesPerSlice));
    slices.push_back(slice);
    devices = devices.subspan(slice.size());
  } while (!devices.empty());
  return slices;
}

Json devices_json(std::span<const Device> devices) {
  Json json = Json::array();
  for (const Device& device : devices) json.push_back(device_json(device));
  return json;
}

Json slice_json(const SlicePosition& position, std::span<const Device> devices) {
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceSlice"},
          {"metadata", {{"generateName", name_prefix(position)}}},
          {"spec",
           {{"driver", position.driver},
            {"nodeName", position.node},
            {"pool",
             {{"name", position.node},
              {"generation", position.generation},
              {"resourceSliceCount", position.count}}},
            {"devices", devices_json(devices)}}}};
}

}  // namespace patchbay::dra
