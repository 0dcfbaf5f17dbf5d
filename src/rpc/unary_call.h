#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include "rpc/connections.h"
#include "rpc/grpc_thread.h"
#include "rpc/open_calls.h"

namespace patchbay::rpc {

/// The objects that every call of a service needs. They outlive all calls.
template <typename Service>
struct CallEnvironment {
  Service& service;
  const Connections& connections;
  GrpcThread& thread;
};

/// The status of a call on a connection without an owner: its peer has disconnected.
inline grpc::Status unknown_connection(const std::string& peer) {
  return {grpc::StatusCode::INTERNAL, "connection " + peer + " has no owner"};
}

/// Handles one unary RPC from its arrival to its answer. If the answer needs work on another
/// thread, gRPC's thread answers other calls in that time. gRPC's thread.
///
/// `Service::Owner` is the type of the sockets' owners (SocketOwner). `Call` is the derived class.
/// Its `kRequest` is the method of `Service` that waits for a call. Its `begin(owner)` must call
/// finish(), immediately or later. Its `count(owner, ok, duration)` is called before each answer,
/// also before a refusal, if the owner is known.
template <typename Call, typename Service, typename Request, typename Response>
class UnaryCall : public std::enable_shared_from_this<Call> {
 public:
  using Owner = typename Service::Owner;
  using Duration = std::chrono::steady_clock::duration;

  /// Creates a call object that waits for a request. On arrival it creates the next one.
  static void wait_for_next(const CallEnvironment<Service>& environment, OpenCalls<Call>& open) {
    const auto call = std::make_shared<Call>(environment, open);
    call->self_ = call;
    call->request_next(call->environment_.service);
  }

  /// Sends the answer: response() with `status`. Does nothing if an answer was sent.
  void finish(const grpc::Status& status) {
    if (std::exchange(answered_, true)) return;
    open_.remove(static_cast<Call*>(this));
    if (owner_) Call::count(*owner_, status.ok(), std::chrono::steady_clock::now() - arrived_at_);
    writer_.Finish(response_, status, static_cast<Tag*>(&finished_tag_));
  }

 protected:
  [[nodiscard]] const CallEnvironment<Service>& environment() const { return environment_; }
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] Response& response() { return response_; }
  [[nodiscard]] bool answered() const { return answered_; }

 private:
  friend Call;  // Only a class that names itself as `Call` may derive.

  UnaryCall(const CallEnvironment<Service>& environment, OpenCalls<Call>& open)
      : environment_(environment), open_(open), queue_ref_(environment.thread) {}

  void request_next(Service& service) {
    (service.*Call::kRequest)(&context_, &request_, &writer_, environment_.thread.queue(),
                              environment_.thread.queue(), static_cast<Tag*>(&arrived_tag_));
  }

  void on_arrival(bool ok) {
    if (!ok) {  // The server is shutting down.
      const auto last_reference = std::move(self_);
      return;
    }
    admit();
    // Called after the answer, because a client waits for the answer. The next call waits inside
    // gRPC until then.
    wait_for_next(environment_, open_);
  }

  /// Answers, or starts the work for the answer. The call object stays alive within this function,
  /// because its tags are delivered on this thread.
  void admit() {
    auto* call = static_cast<Call*>(this);
    open_.add(call);
    if (open_.finishing()) return finish(open_.shutting_down());
    arrived_at_ = std::chrono::steady_clock::now();
    owner_ = environment_.connections.template find<Owner>(context_.peer());
    if (!owner_) return finish(unknown_connection(context_.peer()));
    call->begin(*owner_);
  }

  CallEnvironment<Service> environment_;
  OpenCalls<Call>& open_;
  GrpcThread::QueueRef queue_ref_;
  std::shared_ptr<Call> self_;  ///< Keeps this object alive while gRPC has an operation.
  grpc::ServerContext context_;
  Request request_;
  Response response_;
  grpc::ServerAsyncResponseWriter<Response> writer_{&context_};
  std::chrono::steady_clock::time_point arrived_at_;
  std::shared_ptr<Owner> owner_;  ///< Null if the connection has none.
  bool answered_ = false;
  FunctionTag arrived_tag_{[this](bool ok) { on_arrival(ok); }};
  FunctionTag finished_tag_{[this](bool /*ok*/) { const auto last_reference = std::move(self_); }};
};

}  // namespace patchbay::rpc
