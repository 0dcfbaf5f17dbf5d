#pragma once

#include <functional>
#include <memory>

#include <grpcpp/server.h>

#include "base/rate_limited_log.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "rpc/connections.h"
#include "rpc/grpc_thread.h"

namespace patchbay::rpc {

/// A gRPC server for connections that listeners accepted, with its completion queue and thread.
/// Several servers may exist; each starts and ends on its own. Loop thread.
class Server {
 public:
  /// `loop` and `service` outlive it.
  Server(loop::EventLoop& loop, grpc::Service& service, size_t max_request_bytes);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// Cancels the remaining calls after 0.5 s, waits until none exists, and joins the thread.
  ~Server();

  [[nodiscard]] GrpcThread& thread() { return *thread_; }
  /// Any thread.
  [[nodiscard]] const Connections& connections() const { return connections_; }

  /// Serves one accepted connection for `owner`. A refused connection is logged and closed.
  void serve(UniqueFd connection, const std::shared_ptr<SocketOwner>& owner);

  /// Runs `finish_streams` on gRPC's thread, after the calls that peers have made so far were
  /// begun. Then waits until the peers have hung up, or for 0.3 s; calls are still answered
  /// meanwhile. Blocks; no serve() may run concurrently. Once.
  ///
  /// When its stream ends, the kubelet drops all its calls and hangs up. A call made before the
  /// kubelet sees the end of the stream would otherwise fail, and with it the start of a Pod.
  void end(std::move_only_function<void()> finish_streams);

 private:
  Connections connections_;
  log::RateLimitedLog refusals_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<GrpcThread> thread_;
};

}  // namespace patchbay::rpc
