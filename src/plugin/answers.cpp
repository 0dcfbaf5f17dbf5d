#include "plugin/answers.h"

#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "inventory/preferred_units.h"
#include "plugin/plugin_messages.h"

namespace patchbay::plugin {
namespace {

using Strings = google::protobuf::RepeatedPtrField<std::string>;

std::vector<std::string> to_vector(const Strings& strings) {
  return {strings.begin(), strings.end()};
}

grpc::Status precondition(const std::string& message) {
  return {grpc::StatusCode::FAILED_PRECONDITION, message};
}

}  // namespace

grpc::Status answer(const inventory::Snapshot& snapshot, const v1beta1::Empty& /*request*/,
                    v1beta1::DevicePluginOptions& response) {
  response = plugin_options(snapshot);
  return grpc::Status::OK;
}

grpc::Status answer(const inventory::Snapshot& snapshot,
                    const v1beta1::PreferredAllocationRequest& request,
                    v1beta1::PreferredAllocationResponse& response) {
  for (const auto& container : request.container_requests()) {
    const auto size = static_cast<size_t>(std::max(0, container.allocation_size()));
    auto& chosen = *response.add_container_responses();
    for (std::string& id :
         inventory::preferred_units(snapshot, to_vector(container.available_deviceids()),
                                    to_vector(container.must_include_deviceids()), size)) {
      chosen.add_deviceids(std::move(id));
    }
  }
  return grpc::Status::OK;
}

grpc::Status start_status(const inventory::Snapshot& snapshot,
                          const v1beta1::PreStartContainerRequest& request) {
  for (const std::string& id : request.devices_ids()) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) {
      return precondition(snapshot.resource->name + " has no unit '" + printable(id) + "'");
    }
    const inventory::Unit& unit = *listed->unit;
    if (!unit.healthy) return precondition("unit '" + id + "' is unhealthy: " + unit.reason);
  }
  return grpc::Status::OK;
}

}  // namespace patchbay::plugin
