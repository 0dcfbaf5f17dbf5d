#pragma once

#include <functional>
#include <string>
#include <vector>

#include <grpcpp/support/status.h>

#include "inventory/snapshot.h"
#include "plugin/answer_paths.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// The unary RPCs whose answers are pure functions of a resource's newest snapshot, and the context
/// that the other RPCs need. gRPC's thread.
namespace patchbay::plugin {

/// The services that an answer needs besides the snapshot. Called on gRPC's thread.
struct AnswerContext {
  using PreparedCallback = std::function<void(const Result<void>&)>;

  /// Outlives all answers.
  AnswerPaths& paths;
  /// Called with devices whose state differs from the known one: read them again soon.
  std::function<void(std::vector<std::string> devices)> devices_changed;
  /// Runs the `preStart` steps of these units. `prepared` is called once, from any thread, or never
  /// if the daemon ends before.
  std::function<void(const inventory::SnapshotPtr& snapshot, const std::vector<std::string>& ids,
                     PreparedCallback prepared)>
      prepare_start;
  /// Called after an Allocate was answered, with the allocated ids; may be empty.
  std::function<void(const std::string& resource, std::vector<std::string> ids)> allocated = {};
};

[[nodiscard]] grpc::Status answer(const inventory::Snapshot& snapshot,
                                  const v1beta1::Empty& request,
                                  v1beta1::DevicePluginOptions& response);

/// Returns exactly allocation_size ids with all of must_include (docs/dev/kubelet.md: Preferred
/// allocation), also if the plugin options do not offer this RPC.
[[nodiscard]] grpc::Status answer(const inventory::Snapshot& snapshot,
                                  const v1beta1::PreferredAllocationRequest& request,
                                  v1beta1::PreferredAllocationResponse& response);

/// OK if the units are ours and healthy, so that a container with them may be prepared.
[[nodiscard]] grpc::Status start_status(const inventory::Snapshot& snapshot,
                                        const v1beta1::PreStartContainerRequest& request);

}  // namespace patchbay::plugin
