#pragma once

#include <grpcpp/support/status.h>

#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// The unary RPCs of one resource as pure functions of its newest snapshot. gRPC's thread.
namespace patchbay::serve {

/// What an answer needs besides the snapshot.
struct AnswerContext {
  /// Whether a host's path is there; asked for optional devices only.
  inventory::PathExists path_exists;
};

[[nodiscard]] grpc::Status answer(const AnswerContext& context, const inventory::Snapshot& snapshot,
                                  const v1beta1::Empty& request,
                                  v1beta1::DevicePluginOptions& response);

/// One answer per container request; an error names the unit and the reason, and fails the call.
[[nodiscard]] grpc::Status answer(const AnswerContext& context, const inventory::Snapshot& snapshot,
                                  const v1beta1::AllocateRequest& request,
                                  v1beta1::AllocateResponse& response);

/// Exactly allocation_size ids with all of must_include (kubelet contract 5.3). Answered although
/// the options do not offer it.
[[nodiscard]] grpc::Status answer(const AnswerContext& context, const inventory::Snapshot& snapshot,
                                  const v1beta1::PreferredAllocationRequest& request,
                                  v1beta1::PreferredAllocationResponse& response);

/// Nothing is to be done before a start; fails for units that are not ours or not healthy.
[[nodiscard]] grpc::Status answer(const AnswerContext& context, const inventory::Snapshot& snapshot,
                                  const v1beta1::PreStartContainerRequest& request,
                                  v1beta1::PreStartContainerResponse& response);

}  // namespace patchbay::serve
