#pragma once

#include "plugin/device_plugin_service.h"

/// The calls whose answer is a pure function of the newest snapshot. gRPC's thread.
namespace patchbay::plugin {

/// Answers one GetDevicePluginOptions.
class OptionsCall final : public rpc::UnaryCall<OptionsCall, DevicePluginService, v1beta1::Empty,
                                                v1beta1::DevicePluginOptions> {
 public:
  static constexpr auto kRequest = &DevicePluginService::RequestGetDevicePluginOptions;

  OptionsCall(const CallEnvironment& environment, rpc::OpenCalls<OptionsCall>& open)
      : UnaryCall(environment, open) {}

  void begin(ResourceChannel& channel) {
    finish(answer(*channel.hub.current(), request(), response()));
  }
  static void count(ResourceChannel& /*channel*/, bool /*ok*/, Duration /*duration*/) {}
};

/// Answers one GetPreferredAllocation.
class PreferredCall final
    : public rpc::UnaryCall<PreferredCall, DevicePluginService, v1beta1::PreferredAllocationRequest,
                            v1beta1::PreferredAllocationResponse> {
 public:
  static constexpr auto kRequest = &DevicePluginService::RequestGetPreferredAllocation;

  PreferredCall(const CallEnvironment& environment, rpc::OpenCalls<PreferredCall>& open)
      : UnaryCall(environment, open) {}

  void begin(ResourceChannel& channel) {
    finish(answer(*channel.hub.current(), request(), response()));
  }
  static void count(ResourceChannel& channel, bool ok, Duration duration) {
    channel.counters->preferred.add(ok, duration);
  }
};

}  // namespace patchbay::plugin
