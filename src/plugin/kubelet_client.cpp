#include "plugin/kubelet_client.h"

#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel_posix.h>

#include "base/result.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"
#include "rpc/unix_listener.h"

namespace patchbay::plugin {
namespace {

/// A kubelet that accepts a connection and never serves it does not answer a ping. Register fails
/// then, long before its deadline. A kubelet that is busy with Register answers pings.
constexpr std::chrono::milliseconds kKubeletPing{2000};
constexpr std::chrono::milliseconds kKubeletPingTimeout{3000};

RegisterOutcome outcome_of(const grpc::Status& status) {
  using Kind = RegisterOutcome::Kind;
  if (status.ok()) return {};
  const Kind kind = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ? Kind::timed_out
                    : status.error_code() == grpc::StatusCode::UNAVAILABLE     ? Kind::unreachable
                                                                               : Kind::refused;
  return {.kind = kind, .message = status.error_message()};
}

}  // namespace

/// One Register call. Owns itself.
class KubeletClient::Call final {
 public:
  Call(rpc::GrpcThread& thread, std::shared_ptr<grpc::Channel> channel,
       const v1beta1::RegisterRequest& request, std::chrono::milliseconds deadline,
       std::function<void(const grpc::Status&)> done)
      : queue_ref_(thread),
        done_(std::move(done)),
        stub_(v1beta1::Registration::NewStub(std::move(channel))) {
    context_.set_deadline(std::chrono::system_clock::now() + deadline);
    call_ = stub_->AsyncRegister(&context_, request, thread.queue());
    call_->Finish(&response_, &status_, static_cast<rpc::Tag*>(&finished_));
  }

  void cancel() { context_.TryCancel(); }

 private:
  void finish() {
    const std::unique_ptr<Call> self(this);
    done_(status_);
  }

  rpc::GrpcThread::QueueRef queue_ref_;
  std::function<void(const grpc::Status&)> done_;
  grpc::ClientContext context_;
  std::unique_ptr<v1beta1::Registration::Stub> stub_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1beta1::Empty>> call_;
  v1beta1::Empty response_;
  grpc::Status status_;
  rpc::FunctionTag finished_{[this](bool /*ok*/) { finish(); }};
};

uint64_t KubeletClient::register_resource(rpc::GrpcThread& thread, const KubeletSocket& kubelet,
                                          v1beta1::RegisterRequest request,
                                          std::chrono::milliseconds deadline,
                                          std::function<void(RegisterOutcome)> done) {
  const uint64_t number = ++started_;
  thread.post([this, number, &thread, kubelet, request = std::move(request), deadline,
               done = std::move(done)]() mutable {
    start(number, thread, kubelet, request, deadline, std::move(done));
  });
  return number;
}

void KubeletClient::start(uint64_t number, rpc::GrpcThread& thread, const KubeletSocket& kubelet,
                          const v1beta1::RegisterRequest& request,
                          std::chrono::milliseconds deadline,
                          std::function<void(RegisterOutcome)> done) {
  auto channel = channel_to(kubelet);
  if (!channel) {
    const Error error = fail_errno("cannot connect to " + kubelet.path, channel.error()).error();
    return done({.kind = RegisterOutcome::Kind::unreachable, .message = error.message});
  }
  auto* call = new Call(thread, *std::move(channel), request, deadline,
                        [this, number, done = std::move(done)](const grpc::Status& status) {
                          if (!status.ok())
                            channel_.reset();  // Later calls use another connection.
                          calls_.erase(number);
                          done(outcome_of(status));
                        });
  calls_[number] = call;
  if (ended_) call->cancel();
}

std::expected<std::shared_ptr<grpc::Channel>, int> KubeletClient::channel_to(
    const KubeletSocket& kubelet) {
  auto channel = channel_.lock();
  if (channel && identity_ == kubelet.identity) return channel;
  auto connection = rpc::connect_unix(kubelet.path);
  if (!connection) return std::unexpected(connection.error());
  grpc::ChannelArguments arguments;
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(kKubeletPing.count()));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kKubeletPingTimeout.count()));
  channel = grpc::CreateCustomInsecureChannelFromFd("localhost", connection->release(), arguments);
  channel_ = channel;
  identity_ = kubelet.identity;
  return channel;
}

void KubeletClient::cancel(uint64_t number) {
  const auto call = calls_.find(number);
  if (call != calls_.end()) call->second->cancel();
}

void KubeletClient::end() {
  ended_ = true;
  for (const auto& [number, call] : calls_) call->cancel();
}

}  // namespace patchbay::plugin
