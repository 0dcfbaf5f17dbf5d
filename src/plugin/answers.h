#pragma once

#include <functional>
#include <string>
#include <vector>

#include <grpcpp/support/status.h>

#include "inventory/snapshot.h"
#include "plugin/answer_paths.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// Answers that depend only on the request and the newest snapshot of a resource. Also the context
/// that other RPCs need. gRPC's thread.
namespace patchbay::plugin {

/// The objects and functions that Allocate and PreStartContainer need besides the snapshot. The
/// functions are called on gRPC's thread.
struct AnswerContext {
  using PreparedCallback = std::function<void(const Result<void>&)>;

  /// Outlives all answers.
  AnswerPaths& paths;
  /// Requests a new read of devices whose device nodes have changed. `devices` are their keys.
  std::function<void(std::vector<std::string> devices)> devices_changed;
  /// Runs the `preStart` steps of these units. `prepared` is called once, from any thread, or never
  /// if the daemon ends before.
  std::function<void(const inventory::SnapshotPtr& snapshot, const std::vector<std::string>& ids,
                     PreparedCallback prepared)>
      prepare_start;
  /// Called after each successful Allocate, with the allocated ids. May be an empty function.
  std::function<void(const std::string& resource, std::vector<std::string> ids)> allocated = {};
};

[[nodiscard]] grpc::Status answer(const inventory::Snapshot& snapshot,
                                  const v1beta1::Empty& request,
                                  v1beta1::DevicePluginOptions& response);

/// Selects units for containers with preferred_units(). Answers also if the plugin options do not
/// offer this RPC (docs/dev/kubelet.md: Preferred allocation).
[[nodiscard]] grpc::Status answer(const inventory::Snapshot& snapshot,
                                  const v1beta1::PreferredAllocationRequest& request,
                                  v1beta1::PreferredAllocationResponse& response);

/// Returns OK if all requested units are listed and healthy, otherwise an error with the reason.
[[nodiscard]] grpc::Status start_status(const inventory::Snapshot& snapshot,
                                        const v1beta1::PreStartContainerRequest& request);

}  // namespace patchbay::plugin
