#pragma once

#include "plugin/device_plugin_service.h"

namespace patchbay::plugin {

/// Answers one PreStartContainer after its steps are done. gRPC's thread.
class PreStartCall final
    : public rpc::UnaryCall<PreStartCall, DevicePluginService, v1beta1::PreStartContainerRequest,
                            v1beta1::PreStartContainerResponse> {
 public:
  static constexpr auto kRequest = &DevicePluginService::RequestPreStartContainer;

  PreStartCall(const CallEnvironment& environment, rpc::OpenCalls<PreStartCall>& open)
      : UnaryCall(environment, open) {}

  /// Starts the steps; called on arrival.
  void begin(ResourceChannel& channel);
  static void count(ResourceChannel& channel, bool ok, Duration duration) {
    channel.counters->pre_start.add(ok, duration);
  }
};

}  // namespace patchbay::plugin
