#pragma once

#include <string>
#include <vector>

#include "driver/call_queue.h"
#include "driver/resource_claim_handler.h"
#include "proto/dra_v1.pb.h"
#include "proto/pluginregistration_v1.pb.h"

/// Converts between our values and messages of the kubelet's DRA API. Pure.
namespace patchbay::driver {

namespace api = ::k8s::io::kubelet::pkg::apis::dra::v1;

/// A longer error text is cut. An event of a Pod has at most 1024 bytes, with the kubelet's own
/// words before this text.
inline constexpr size_t kMaxErrorBytes = 800;

/// Returns the answer to GetInfo. `endpoint` is the path of the service's socket on the host.
[[nodiscard]] pluginregistration::PluginInfo plugin_info(const std::string& driver,
                                                         const std::string& endpoint);

/// Returns the ResourceClaims of a request, without the driver.
template <typename Request>
[[nodiscard]] std::vector<ResourceClaimName> resource_claims(const Request& request) {
  std::vector<ResourceClaimName> claims;
  for (const api::Claim& claim : request.claims()) {
    claims.push_back({.driver = {},
                      .uid = claim.uid(),
                      .namespace_name = claim.namespace_(),
                      .name = claim.name()});
  }
  return claims;
}

/// Adds an entry for each outcome. Error texts become printable, because the kubelet rejects a
/// message with invalid UTF-8, and with it the other entries.
void fill(api::NodePrepareResourcesResponse& response, const ClaimOutcomes& outcomes);
void fill(api::NodeUnprepareResourcesResponse& response, const ClaimOutcomes& outcomes);

}  // namespace patchbay::driver
