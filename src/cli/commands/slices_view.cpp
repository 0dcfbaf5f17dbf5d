#include "cli/commands/slices_view.h"

#include <utility>

#include "config/yaml_writer.h"
#include "dra/device.h"
#include "dra/slices.h"

namespace patchbay::cli {
namespace {

std::vector<dra::Device> devices_of(const inventory::Resolution& resolution) {
  std::vector<dra::Device> devices;
  for (const inventory::ResolvedResource& resolved : resolution.resources) {
    const rules::ResourcePlan& resource = *resolved.snapshot->resource;
    if (resource.serve != config::Serve::dra) continue;
    for (const inventory::Unit& unit : resolved.snapshot->units) {
      if (unit.healthy) devices.push_back(dra::make_device(resource, unit).device);
    }
  }
  return devices;
}

}  // namespace

SlicesView slices_view(const std::string& driver, const std::string& node,
                       const inventory::Resolution& resolution) {
  std::vector<dra::Device> devices = devices_of(resolution);
  SlicesView view{.yaml = {}, .duplicates = dra::drop_duplicates(devices)};
  const auto slices = dra::split_pool(devices);
  for (size_t index = 0; index < slices.size(); ++index) {
    const Json slice = dra::slice_json(
        {.driver = driver, .node = node, .index = index, .count = slices.size()}, slices[index]);
    view.yaml += (index == 0 ? "" : "---\n") + config::write_yaml(config::yaml_tree(slice));
  }
  return view;
}

}  // namespace patchbay::cli
