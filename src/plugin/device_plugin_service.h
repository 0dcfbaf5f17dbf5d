#pragma once

#include "plugin/answers.h"
#include "plugin/resource_channel.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"
#include "rpc/unary_call.h"

namespace patchbay::plugin {

/// The generated service with asynchronous methods. ListAndWatch is raw: it writes encoded lists.
using GeneratedService = v1beta1::DevicePlugin::WithAsyncMethod_GetDevicePluginOptions<
    v1beta1::DevicePlugin::WithRawMethod_ListAndWatch<
        v1beta1::DevicePlugin::WithAsyncMethod_GetPreferredAllocation<
            v1beta1::DevicePlugin::WithAsyncMethod_Allocate<
                v1beta1::DevicePlugin::WithAsyncMethod_PreStartContainer<
                    v1beta1::DevicePlugin::Service>>>>>;

/// The device plugin service of all resources. Its calls use `answers`.
class DevicePluginService final : public GeneratedService {
 public:
  using Owner = ResourceChannel;  ///< The owner of a connection: see rpc::SocketOwner.

  /// `its_answers` outlives this object.
  explicit DevicePluginService(const AnswerContext& its_answers) : answers(its_answers) {}

  const AnswerContext& answers;
};

using CallEnvironment = rpc::CallEnvironment<DevicePluginService>;

/// The status that ends the streams of a withdrawn resource.
inline grpc::Status withdrawn_status() {
  return {grpc::StatusCode::UNAVAILABLE, "the resource is no longer offered"};
}

}  // namespace patchbay::plugin
