#pragma once

#include <functional>
#include <string>
#include <vector>

#include <grpcpp/support/status.h>

#include "inventory/snapshot.h"
#include "proto/deviceplugin_v1beta1.pb.h"
#include "serve/host_path_checker.h"

/// The unary RPCs of one resource that are pure functions of its newest snapshot, and what the
/// others need. gRPC's thread.
namespace patchbay::serve {

/// What an answer needs besides the snapshot. Called on gRPC's thread.
struct AnswerContext {
  using PreparedCallback = std::function<void(const Result<void>&)>;

  /// Outlives all answers.
  HostPathChecker& paths;
  /// These devices are not what they were: they are to be looked at soon.
  std::function<void(std::vector<std::string> devices)> devices_changed;
  /// Does what is to be done before a container with these units starts; `prepared` is called once,
  /// from any thread, or never if the daemon ends before.
  std::function<void(const inventory::SnapshotPtr& snapshot, const std::vector<std::string>& ids,
                     PreparedCallback prepared)>
      prepare_start;
  /// An Allocate was answered that gave these of the kubelet's devices away; may be empty.
  std::function<void(const std::string& resource, std::vector<std::string> ids)> allocated = {};
};

[[nodiscard]] grpc::Status answer(const inventory::Snapshot& snapshot,
                                  const v1beta1::Empty& request,
                                  v1beta1::DevicePluginOptions& response);

/// Exactly allocation_size ids with all of must_include (kubelet contract 5.3), also where the
/// options do not offer it.
[[nodiscard]] grpc::Status answer(const inventory::Snapshot& snapshot,
                                  const v1beta1::PreferredAllocationRequest& request,
                                  v1beta1::PreferredAllocationResponse& response);

/// Whether the units are ours and healthy, so that a container with them may be prepared.
[[nodiscard]] grpc::Status start_status(const inventory::Snapshot& snapshot,
                                        const v1beta1::PreStartContainerRequest& request);

}  // namespace patchbay::serve
