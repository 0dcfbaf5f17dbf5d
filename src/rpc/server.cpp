#include "rpc/server.h"

#include <chrono>
#include <string>
#include <utility>

#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include "base/log.h"
#include "rpc/grpc_setup.h"

namespace patchbay::rpc {
namespace {

/// For bytes sent before end(): a peer that never stops sending must not delay it.
constexpr std::chrono::milliseconds kReadTimeout{100};
/// The kubelet closes its connection when it sees the end of its stream. Other peers get no more
/// time.
constexpr std::chrono::milliseconds kHangUpTimeout{300};
/// For answers that are being written when the shutdown begins.
constexpr std::chrono::milliseconds kShutdownGrace{500};

}  // namespace

Server::Server(loop::EventLoop& loop, std::initializer_list<grpc::Service*> services,
               size_t max_request_bytes)
    : connections_(loop) {
  install_event_engine();
  grpc::ServerBuilder builder;
  for (grpc::Service* service : services) builder.RegisterService(service);
  limit_peers(builder, max_request_bytes);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
  reduce_grpc_memory(builder);
  auto queue = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  thread_ = std::make_unique<GrpcThread>(std::move(queue));
}

Server::~Server() {
  server_->Shutdown(std::chrono::system_clock::now() + kShutdownGrace);
  thread_->finish();
}

void Server::serve(UniqueFd connection, const std::shared_ptr<SocketOwner>& owner) {
  auto fd = connections_.add(std::move(connection), owner);
  if (fd) return grpc::AddInsecureChannelFromFd(server_.get(), fd->release());
  if (const auto more = refusals_.admit(std::chrono::steady_clock::now())) {
    log::warning(fd.error().message,
                 {{"resource", owner->name}, {"suppressed", std::to_string(*more)}});
  }
}

void Server::end(std::move_only_function<void()> finish_streams) {
  const auto peers = connections_.descriptors();
  wait_until_read(peers, kReadTimeout);
  // Posted twice: by then the calls just read are in the queue, and run before.
  thread_->post(
      [this, finish = std::move(finish_streams)]() mutable { thread_->post(std::move(finish)); });
  wait_for_hang_up(peers, kHangUpTimeout);
}

}  // namespace patchbay::rpc
