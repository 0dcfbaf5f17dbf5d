#include "driver/driver_messages.h"

#include "base/text.h"

namespace patchbay::driver {
namespace {

std::string error_text(const Error& error) { return printable(error.message, kMaxErrorBytes); }

api::Device to_message(const PreparedDevice& prepared) {
  api::Device device;
  device.mutable_request_names()->Assign(prepared.requests.begin(), prepared.requests.end());
  device.set_pool_name(prepared.pool);
  device.set_device_name(prepared.device);
  device.mutable_cdi_device_ids()->Assign(prepared.cdi_ids.begin(), prepared.cdi_ids.end());
  return device;
}

}  // namespace

pluginregistration::PluginInfo plugin_info(const std::string& driver, const std::string& endpoint) {
  pluginregistration::PluginInfo info;
  info.set_type("DRAPlugin");
  info.set_name(driver);
  info.set_endpoint(endpoint);
  info.add_supported_versions("v1.DRAPlugin");
  return info;
}

void fill(api::NodePrepareResourcesResponse& response, const ClaimOutcomes& outcomes) {
  for (const auto& [uid, outcome] : outcomes) {
    auto& entry = (*response.mutable_claims())[uid];
    if (!outcome) {
      entry.set_error(error_text(outcome.error()));
      continue;
    }
    for (const PreparedDevice& device : *outcome) *entry.add_devices() = to_message(device);
  }
}

void fill(api::NodeUnprepareResourcesResponse& response, const ClaimOutcomes& outcomes) {
  for (const auto& [uid, outcome] : outcomes) {
    auto& entry = (*response.mutable_claims())[uid];
    if (!outcome) entry.set_error(error_text(outcome.error()));
  }
}

}  // namespace patchbay::driver
