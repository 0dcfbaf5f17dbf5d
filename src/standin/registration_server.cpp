#include "standin/registration_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <future>

#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include "base/unix_address.h"

namespace patchbay::standin {

Result<UniqueFd> listen_at(const std::string& path) {
  const auto address = UnixAddress::of(path);
  if (!address) return std::unexpected(address.error());
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) return fail_errno("cannot create a socket", errno);
  if (::bind(listener.get(), address->get(), UnixAddress::size()) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return fail_errno("cannot listen at " + path, errno);
  }
  return listener;
}

/// Deletes itself when gRPC has finished the call.
class RegisterReactor final : public grpc::ServerUnaryReactor {
 public:
  [[nodiscard]] std::future<void> done() { return done_->get_future(); }

  void OnDone() override {
    const auto done = done_;  // The waiting thread can continue before set_value() returns.
    delete this;
    done->set_value();
  }

 private:
  std::shared_ptr<std::promise<void>> done_ = std::make_shared<std::promise<void>>();
};

IncomingRegister::~IncomingRegister() {
  if (reactor_) reactor_->Finish({grpc::StatusCode::UNAVAILABLE, "the kubelet stops"});
}

void IncomingRegister::answer(const grpc::Status& status) {
  RegisterReactor* reactor = std::exchange(reactor_, nullptr);
  const auto done = reactor->done();
  reactor->Finish(status);
  done.wait();
}

class RegistrationServer::Service final : public v1beta1::Registration::CallbackService {
 public:
  explicit Service(const Handlers& handlers) : handlers_(handlers) {}

  grpc::ServerUnaryReactor* Register(grpc::CallbackServerContext* context,
                                     const v1beta1::RegisterRequest* request,
                                     v1beta1::Empty* /*response*/) override {
    auto reactor = std::make_unique<RegisterReactor>();
    handlers_.called(std::make_unique<IncomingRegister>(*reactor, *context, *request));
    return reactor.release();
  }

 private:
  const Handlers& handlers_;
};

Result<std::unique_ptr<RegistrationServer>> RegistrationServer::start(const std::string& path,
                                                                      Handlers handlers) {
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return fail_errno("cannot create an eventfd", errno);
  auto listener = listen_at(path);
  if (!listener) return std::unexpected(std::move(listener).error());
  std::unique_ptr<RegistrationServer> server(
      new RegistrationServer(std::move(*listener), std::move(wake), std::move(handlers)));
  grpc::ServerBuilder builder;
  builder.RegisterService(server->service_.get());
  server->server_ = builder.BuildAndStart();
  if (!server->server_) return fail("cannot start a gRPC server");
  server->acceptor_ = std::jthread([raw = server.get()] { raw->accept_until_stopped(); });
  return server;
}

RegistrationServer::RegistrationServer(UniqueFd listener, UniqueFd wake, Handlers handlers)
    : handlers_(std::move(handlers)),
      listener_(std::move(listener)),
      wake_(std::move(wake)),
      service_(std::make_unique<Service>(handlers_)) {}

RegistrationServer::~RegistrationServer() {
  stop();
  if (server_) server_->Shutdown(std::chrono::system_clock::now());
}

void RegistrationServer::stop() {
  if (!acceptor_.joinable()) return;
  ::eventfd_write(wake_.get(), 1);
  acceptor_.join();
  listener_.reset();
}

void RegistrationServer::accept_until_stopped() {
  std::array<pollfd, 2> waits = {pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) return;
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      if (handlers_.accepted) handlers_.accepted();
      grpc::AddInsecureChannelFromFd(server_.get(), fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      ::poll(waits.data(), 1, 100);  // The connection stays in the backlog: avoids a busy loop.
    }
  }
}

}  // namespace patchbay::standin
