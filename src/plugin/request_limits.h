#pragma once

#include <string>
#include <vector>

#include "inventory/id_assigner.h"
#include "proto/deviceplugin_v1beta1.pb.h"
#include "rpc/bounded_request.h"

/// Limits on the requests of the device plugin API, far above those of a kubelet.
namespace patchbay::plugin {

/// GetPreferredAllocation may name all units twice: as available and as required. An id has at most
/// 63 characters, and a number if its unit is shared.
inline constexpr size_t kMaxRequestBytes = size_t{6} << 20U;
inline constexpr size_t kMaxRequestFields = 2 * inventory::kMaxUnits + 1000;
/// A kubelet asks for one container at a time.
inline constexpr int kMaxContainers = 256;
inline constexpr size_t kMaxIdBytes = 256;

/// Returns why the request exceeds a limit; empty if it does not.
[[nodiscard]] std::string validate(const v1beta1::Empty& request);
[[nodiscard]] std::string validate(const v1beta1::AllocateRequest& request);
[[nodiscard]] std::string validate(const v1beta1::PreferredAllocationRequest& request);
[[nodiscard]] std::string validate(const v1beta1::PreStartContainerRequest& request);

/// "a,b,c", or the first ids and the number of further ones: for the log.
[[nodiscard]] std::string format_ids(const std::vector<std::string>& ids);

/// The limits of one kind of request: see rpc::BoundedRequest.
template <typename Message>
struct RequestLimits {
  static constexpr size_t kMaxFields = kMaxRequestFields;
  static constexpr bool kCountsFirstField = requires(const Message& message) {
    message.container_requests();
  };
  static std::string validate(const Message& request) { return plugin::validate(request); }
};

template <typename Message>
using BoundedRequest = rpc::BoundedRequest<Message, RequestLimits<Message>>;

}  // namespace patchbay::plugin
