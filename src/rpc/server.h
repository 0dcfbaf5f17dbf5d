#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include <grpcpp/server.h>

#include "base/rate_limited_log.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "rpc/connections.h"
#include "rpc/grpc_thread.h"

namespace patchbay::rpc {

/// A gRPC server for connections that listeners accepted, with its completion queue and thread.
/// Several independent servers may exist. Loop thread.
class Server {
 public:
  /// `loop` and `services` outlive this object.
  Server(loop::EventLoop& loop, std::initializer_list<grpc::Service*> services,
         size_t max_request_bytes);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// Cancels the remaining calls after 0.5 s, waits until none exists, and joins the thread.
  ~Server();

  [[nodiscard]] GrpcThread& thread() { return *thread_; }
  /// Any thread.
  [[nodiscard]] const Connections& connections() const { return connections_; }

  /// Serves one accepted connection for `owner`. A refused connection is logged and closed.
  void serve(UniqueFd connection, const std::shared_ptr<SocketOwner>& owner);

  /// Runs `finish_streams` on gRPC's thread, after the calls that peers have already sent were
  /// begun. Then waits until all peers have disconnected, at most 0.3 s. Calls are still answered
  /// in that time. Blocks; no serve() may run concurrently. Call it once.
  ///
  /// The wait is for the kubelet, which drops all its calls and disconnects when it sees the end of
  /// its stream. Until then the kubelet may make a call. Without the wait, this call and the start
  /// of a Pod would fail.
  void end(std::move_only_function<void()> finish_streams);

 private:
  Connections connections_;
  log::RateLimitedLog refusals_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<GrpcThread> thread_;
};

}  // namespace patchbay::rpc
