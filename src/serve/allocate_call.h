#pragma once

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/alarm.h>

#include "inventory/asked_paths.h"
#include "serve/bounded_request.h"
#include "serve/open_calls.h"
#include "serve/unary_call.h"

namespace patchbay::serve {

/// One Allocate from its arrival to its answer. Where that takes looks at paths that may hang, they
/// are made elsewhere, and meanwhile other calls are answered. gRPC's thread.
class AllocateCall final : public std::enable_shared_from_this<AllocateCall> {
 public:
  static void wait_for_next(const CallEnvironment& environment, OpenCalls<AllocateCall>& open);

  AllocateCall(const CallEnvironment& environment, OpenCalls<AllocateCall>& open);

  /// Answers, unless that was done before.
  void finish(const grpc::Status& status);

 private:
  void wait();
  void on_arrival(bool ok);
  void begin();
  void answer_next();
  bool answer(const std::vector<std::string>& ids);
  void refuse(const std::string& reason, grpc::StatusCode code);
  void look();
  void looked(Result<inventory::PathStates> states);
  void late(bool ok);

  CallEnvironment environment_;
  OpenCalls<AllocateCall>& open_;
  GrpcThread::Presence presence_;
  std::shared_ptr<AllocateCall> self_;  ///< Itself, while an operation of gRPC's names it.
  grpc::ServerContext context_;
  BoundedRequest<v1beta1::AllocateRequest> request_;
  v1beta1::AllocateResponse response_;
  grpc::ServerAsyncResponseWriter<v1beta1::AllocateResponse> writer_{&context_};
  inventory::SnapshotPtr snapshot_;
  inventory::AskedPaths paths_;
  std::shared_ptr<AllocateCall> timed_;  ///< Itself, while the alarm names it.
  grpc::Alarm alarm_;
  bool answered_ = false;
  FunctionTag arrived_tag_;
  FunctionTag finished_tag_;
  FunctionTag late_tag_;
};

}  // namespace patchbay::serve
