#pragma once

#include "plugin/device_plugin_service.h"

/// The unary calls besides Allocate. gRPC's thread.
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

/// Answers one PreStartContainer after its steps are done.
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
