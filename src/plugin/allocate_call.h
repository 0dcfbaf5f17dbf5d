#pragma once

#include <string>
#include <vector>

#include "inventory/path_queries.h"
#include "plugin/device_plugin_service.h"

namespace patchbay::plugin {

/// Answers one Allocate. Paths that may be unresponsive are checked on other threads. gRPC's
/// thread.
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
