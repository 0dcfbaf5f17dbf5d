#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <grpcpp/server.h>
#include <grpcpp/support/server_callback.h>

#include "base/result.h"
#include "base/unique_fd.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"

namespace patchbay::standin {

/// Creates a non-blocking Unix socket that listens at `path`. The file stays when the descriptor is
/// closed. Later connections are then refused, as after the exit of a kubelet.
[[nodiscard]] Result<UniqueFd> listen_at(const std::string& path);

class RegisterReactor;

/// One Register call that waits for its answer. One thread at a time.
class IncomingRegister {
 public:
  IncomingRegister(RegisterReactor& reactor, grpc::CallbackServerContext& context,
                   const v1beta1::RegisterRequest& request)
      : reactor_(&reactor), context_(&context), request_(&request) {}
  IncomingRegister(const IncomingRegister&) = delete;
  IncomingRegister& operator=(const IncomingRegister&) = delete;
  ~IncomingRegister();

  /// The context and the request are invalid after answer().
  [[nodiscard]] const grpc::CallbackServerContext& context() const { return *context_; }
  [[nodiscard]] const v1beta1::RegisterRequest& request() const { return *request_; }

  /// Answers the call. Blocks until gRPC has sent the answer, or the caller has disconnected.
  void answer(const grpc::Status& status);

 private:
  RegisterReactor* reactor_;
  const grpc::CallbackServerContext* context_;
  const v1beta1::RegisterRequest* request_;
};

/// Serves the kubelet's Registration service at a path. It creates the listening socket without
/// gRPC, which would unlink the path on close.
class RegistrationServer {
 public:
  struct Handlers {
    /// Called on a thread of the server when a client has connected.
    std::function<void()> accepted;
    /// Called on a gRPC thread for each Register call. It must not block. If it destroys the
    /// IncomingRegister without an answer, the call fails.
    std::function<void(std::unique_ptr<IncomingRegister>)> called;
  };
  [[nodiscard]] static Result<std::unique_ptr<RegistrationServer>> start(const std::string& path,
                                                                         Handlers handlers);
  RegistrationServer(const RegistrationServer&) = delete;
  RegistrationServer& operator=(const RegistrationServer&) = delete;
  /// Calls stop() and waits until all calls are answered.
  ~RegistrationServer();

  /// Stops accepting connections.
  void stop();

 private:
  class Service;
  RegistrationServer(UniqueFd listener, UniqueFd wake, Handlers handlers);
  void accept_until_stopped();

  Handlers handlers_;
  UniqueFd listener_;
  UniqueFd wake_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::jthread acceptor_;
};

}  // namespace patchbay::standin
