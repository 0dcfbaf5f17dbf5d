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

  /// Both are gone after answer().
  [[nodiscard]] const grpc::CallbackServerContext& context() const { return *context_; }
  [[nodiscard]] const v1beta1::RegisterRequest& request() const { return *request_; }

  /// Returns when the answer was handed to the connection, or the caller is gone.
  void answer(const grpc::Status& status);

 private:
  RegisterReactor* reactor_;
  const grpc::CallbackServerContext* context_;
  const v1beta1::RegisterRequest* request_;
};

/// Serves Registration at a path. The listening socket is ours and not gRPC's, which would unlink
/// the path when it closes.
class RegistrationServer {
 public:
  struct Handlers {
    /// Someone connected. On a thread of the server.
    std::function<void()> accepted;
    /// Register was called. On a thread of gRPC: must not block. Unanswered, it fails.
    std::function<void(std::unique_ptr<IncomingRegister>)> called;
  };
  [[nodiscard]] static Result<std::unique_ptr<RegistrationServer>> start(const std::string& path,
                                                                         Handlers handlers);
  RegistrationServer(const RegistrationServer&) = delete;
  RegistrationServer& operator=(const RegistrationServer&) = delete;
  /// stop(), and waits until every call is answered.
  ~RegistrationServer();

  /// Nobody can connect from now on.
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
