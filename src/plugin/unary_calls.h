#pragma once

#include <string>
#include <vector>

#include "inventory/path_queries.h"
#include "plugin/device_plugin_service.h"

/// The unary calls of the device plugin service. gRPC's thread.
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

/// Answers one PreStartContainer after the `preStart` steps are done.
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

/// Answers one Allocate. Path checks that could block run on work threads.
class AllocateCall final
    : public rpc::UnaryCall<AllocateCall, DevicePluginService, v1beta1::AllocateRequest,
                            v1beta1::AllocateResponse> {
 public:
  static constexpr auto kRequest = &DevicePluginService::RequestAllocate;

  AllocateCall(const CallEnvironment& environment, rpc::OpenCalls<AllocateCall>& open);

  /// Starts the answer; called on arrival.
  void begin(ResourceChannel& channel);
  static void count(ResourceChannel& channel, bool ok, Duration duration) {
    channel.counters->allocate.add(ok, duration);
  }

 private:
  void answer_next();
  void report_allocated();
  bool answer(const std::vector<std::string>& ids);
  void refuse(const std::string& reason, grpc::StatusCode code);
  void stat_paths();
  void on_paths_stated(Result<inventory::PathStates> states);

  inventory::SnapshotPtr snapshot_;
  inventory::PathQueries paths_;
};

}  // namespace patchbay::plugin
