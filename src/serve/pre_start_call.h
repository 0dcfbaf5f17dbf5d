#pragma once

#include <memory>

#include "serve/open_calls.h"
#include "serve/unary_call.h"

namespace patchbay::serve {

/// One PreStartContainer from its arrival to its answer, which comes when the steps are done: they
/// run elsewhere, and meanwhile other calls are answered. gRPC's thread.
class PreStartCall final : public std::enable_shared_from_this<PreStartCall> {
 public:
  static void wait_for_next(const CallEnvironment& environment, OpenCalls<PreStartCall>& open);

  PreStartCall(const CallEnvironment& environment, OpenCalls<PreStartCall>& open);

  /// Answers, unless that was done before.
  void finish(const grpc::Status& status);

 private:
  void wait();
  void on_arrival(bool ok);
  void begin();

  CallEnvironment environment_;
  OpenCalls<PreStartCall>& open_;
  GrpcThread::Presence presence_;
  std::shared_ptr<PreStartCall> self_;  ///< Itself, while an operation of gRPC's names it.
  grpc::ServerContext context_;
  BoundedRequest<v1beta1::PreStartContainerRequest> request_;
  v1beta1::PreStartContainerResponse response_;
  grpc::ServerAsyncResponseWriter<v1beta1::PreStartContainerResponse> writer_{&context_};
  bool answered_ = false;
  FunctionTag arrived_tag_;
  FunctionTag finished_tag_;
};

}  // namespace patchbay::serve
