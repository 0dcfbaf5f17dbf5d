#pragma once

#include <chrono>
#include <memory>
#include <type_traits>

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include "serve/answers.h"
#include "serve/bounded_service.h"
#include "serve/connections.h"
#include "serve/grpc_thread.h"

namespace patchbay::serve {

/// The services that every call object needs; outlives all calls.
struct CallEnvironment {
  BoundedService& service;
  const Connections& connections;
  GrpcThread& thread;
  const AnswerContext& answers;
};

/// The status of a call on a connection without a resource: its peer has hung up.
inline grpc::Status unknown_connection(const std::string& peer) {
  return {grpc::StatusCode::INTERNAL, "connection " + peer + " belongs to no resource"};
}

/// The status of a stream whose resource was withdrawn.
inline grpc::Status withdrawn_status() {
  return {grpc::StatusCode::UNAVAILABLE, "the resource is no longer offered"};
}

/// Handles one unary RPC from its arrival to its answer. Owns itself, and makes the next call when
/// it arrives, so that one is always waiting.
template <typename Request, typename Response>
class UnaryCall final {
 public:
  using RequestMethod = void (BoundedService::*)(grpc::ServerContext*, BoundedRequest<Request>*,
                                                 grpc::ServerAsyncResponseWriter<Response>*,
                                                 grpc::CompletionQueue*,
                                                 grpc::ServerCompletionQueue*, void*);

  static void wait_for_next(const CallEnvironment& environment, RequestMethod method) {
    new UnaryCall(environment, method);
  }

 private:
  UnaryCall(const CallEnvironment& environment, RequestMethod method)
      : environment_(environment), method_(method), queue_ref_(environment.thread) {
    (environment_.service.*method_)(&context_, &request_, &writer_, environment_.thread.queue(),
                                    environment_.thread.queue(), tag(arrived_));
  }

  static void* tag(Tag& t) { return &t; }

  void on_arrival(bool ok) {
    if (!ok) {  // The server is shutting down.
      delete this;
      return;
    }
    wait_for_next(environment_, method_);
    const auto arrived_at = std::chrono::steady_clock::now();
    const grpc::Status status = make_answer();
    if constexpr (std::is_same_v<Request, v1beta1::PreferredAllocationRequest>) {
      if (channel_) {
        channel_->counters->preferred.add(status.ok(),
                                          std::chrono::steady_clock::now() - arrived_at);
      }
    }
    writer_.Finish(response_, status, tag(finished_));
  }

  grpc::Status make_answer() {
    channel_ = environment_.connections.find(context_.peer());
    if (!channel_) return unknown_connection(context_.peer());
    if (!request_.refusal.empty()) return reject_request(channel_->resource, request_.refusal);
    const auto snapshot = channel_->hub.current();
    return answer(*snapshot, request_.message, response_);
  }

  CallEnvironment environment_;
  RequestMethod method_;
  GrpcThread::QueueRef queue_ref_;
  grpc::ServerContext context_;
  BoundedRequest<Request> request_;
  Response response_;
  std::shared_ptr<ResourceChannel> channel_;  ///< Null: no resource.
  grpc::ServerAsyncResponseWriter<Response> writer_{&context_};
  FunctionTag arrived_{[this](bool ok) { on_arrival(ok); }};
  FunctionTag finished_{[this](bool /*ok*/) { delete this; }};
};

}  // namespace patchbay::serve
