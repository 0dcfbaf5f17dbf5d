#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "serve/open_calls.h"
#include "serve/unary_call.h"
#include "status/counters.h"

namespace patchbay::serve {

/// Handles one unary RPC whose answer may need work elsewhere, from its arrival to its answer. The
/// thread answers other calls meanwhile. `Call` is the derived class; it calls finish() in
/// `begin(channel)` or later. gRPC's thread.
template <typename Call, typename RequestMessage, typename Response>
class DeferredCall : public std::enable_shared_from_this<Call> {
 public:
  /// Makes a call that waits for its arrival. Each call makes the next one when it arrives.
  static void wait_for_next(const CallEnvironment& environment, OpenCalls<Call>& open) {
    const auto call = std::make_shared<Call>(environment, open);
    call->self_ = call;
    call->request_next(call->environment_.service);
  }

  /// Sends the answer, if none was sent.
  void finish(const grpc::Status& status) {
    if (std::exchange(answered_, true)) return;
    open_.remove(static_cast<Call*>(this));
    if (channel_) {
      ((*channel_->counters).*Call::kCounters)
          .add(status.ok(), std::chrono::steady_clock::now() - arrived_at_);
    }
    writer_.Finish(response_, status, static_cast<Tag*>(&finished_tag_));
  }

 protected:
  [[nodiscard]] const CallEnvironment& environment() const { return environment_; }
  [[nodiscard]] const RequestMessage& request() const { return request_.message; }
  [[nodiscard]] Response& response() { return response_; }
  [[nodiscard]] bool answered() const { return answered_; }

 private:
  friend Call;  // Only a class that names itself as `Call` may derive.

  DeferredCall(const CallEnvironment& environment, OpenCalls<Call>& open)
      : environment_(environment), open_(open), queue_ref_(environment.thread) {}

  void request_next(BoundedService& service) {
    (service.*Call::kRequest)(&context_, &request_, &writer_, environment_.thread.queue(),
                              environment_.thread.queue(), static_cast<Tag*>(&arrived_tag_));
  }

  void on_arrival(bool ok) {
    if (!ok) {  // The server is shutting down.
      const auto last_reference = std::move(self_);
      return;
    }
    admit();
    // After the answer, because a client waits for it. An earlier arrival waits inside gRPC.
    wait_for_next(environment_, open_);
  }

  /// Answers, or starts the work for the answer. The call stays alive: its tags are delivered on
  /// this thread.
  void admit() {
    auto* call = static_cast<Call*>(this);
    open_.add(call);
    if (open_.finishing()) return finish(open_.shutting_down());
    arrived_at_ = std::chrono::steady_clock::now();
    channel_ = environment_.connections.find(context_.peer());
    if (!channel_) return finish(unknown_connection(context_.peer()));
    if (!request_.refusal.empty()) {
      return finish(reject_request(channel_->resource, request_.refusal));
    }
    call->begin(*channel_);
  }

  CallEnvironment environment_;
  OpenCalls<Call>& open_;
  GrpcThread::QueueRef queue_ref_;
  std::shared_ptr<Call> self_;  ///< Keeps this alive while gRPC has an operation.
  grpc::ServerContext context_;
  BoundedRequest<RequestMessage> request_;
  Response response_;
  grpc::ServerAsyncResponseWriter<Response> writer_{&context_};
  std::chrono::steady_clock::time_point arrived_at_;
  std::shared_ptr<ResourceChannel> channel_;  ///< Null: no resource.
  bool answered_ = false;
  FunctionTag arrived_tag_{[this](bool ok) { on_arrival(ok); }};
  FunctionTag finished_tag_{[this](bool /*ok*/) { const auto last_reference = std::move(self_); }};
};

}  // namespace patchbay::serve
