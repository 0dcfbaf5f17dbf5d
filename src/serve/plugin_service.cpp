#include "serve/plugin_service.h"

#include <map>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include "base/log.h"
#include "base/rare_line.h"
#include "serve/allocate_call.h"
#include "serve/grpc_limits.h"
#include "serve/grpc_memory.h"
#include "serve/grpc_tasks.h"
#include "serve/list_and_watch_call.h"
#include "serve/messages.h"
#include "serve/peers.h"
#include "serve/pre_start_call.h"
#include "serve/unary_call.h"

namespace patchbay::serve {
namespace {

/// For what was sent before the end began: a peer that never stops sending is not waited for.
constexpr std::chrono::milliseconds kReadWithin{100};
/// The kubelet drops its connection when it sees that its stream has ended. Nobody else is waited
/// for longer.
constexpr std::chrono::milliseconds kHangUpWithin{300};
/// For answers that are being written when a shutdown begins.
constexpr std::chrono::milliseconds kShutdownGrace{500};

RegisterOutcome outcome_of(const grpc::Status& status) {
  using Kind = RegisterOutcome::Kind;
  if (status.ok()) return {};
  const Kind kind = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ? Kind::timed_out
                    : status.error_code() == grpc::StatusCode::UNAVAILABLE     ? Kind::unreachable
                                                                               : Kind::refused;
  return {.kind = kind, .message = status.error_message()};
}

/// The way to one kubelet. Calls of one burst share it, since a channel costs tens of kilobytes; it
/// goes with the last of them. A failed one is never used again: it would hold its back-off against
/// a kubelet that listens by now, as would subchannels shared with other channels.
class KubeletChannel {
 public:
  std::shared_ptr<grpc::Channel> get(const KubeletSocket& kubelet) {
    auto channel = channel_.lock();
    if (channel && identity_ == kubelet.identity &&
        channel->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) {
      return channel;
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    channel = grpc::CreateCustomChannel("unix:" + kubelet.path, grpc::InsecureChannelCredentials(),
                                        arguments);
    channel_ = channel;
    identity_ = kubelet.identity;
    return channel;
  }

 private:
  std::weak_ptr<grpc::Channel> channel_;
  SocketIdentity identity_;
};

/// One Register call.
class RegisterCall final {
 public:
  RegisterCall(GrpcThread& thread, std::shared_ptr<grpc::Channel> channel,
               const v1beta1::RegisterRequest& request, std::chrono::milliseconds deadline,
               std::function<void(RegisterOutcome)> done)
      : presence_(thread),
        done_(std::move(done)),
        channel_(std::move(channel)),
        stub_(v1beta1::Registration::NewStub(channel_)) {
    context_.set_deadline(std::chrono::system_clock::now() + deadline);
    call_ = stub_->AsyncRegister(&context_, request, thread.queue());
    call_->Finish(&response_, &status_, static_cast<Tag*>(&finished_));
  }

  void cancel() { context_.TryCancel(); }
  /// Tells the kubelet, if it has the call, that nobody waits for the answer. What is only being
  /// connected ends by itself: gRPC 1.51 never closes a connection whose only call was cancelled
  /// before it was there.
  void withdraw() {
    if (channel_->GetState(false) == GRPC_CHANNEL_READY) cancel();
  }
  /// Called before the object deletes itself.
  std::function<void()> on_end;

 private:
  void finish() {
    const std::unique_ptr<RegisterCall> self(this);
    on_end();
    done_(outcome_of(status_));
  }

  GrpcThread::Presence presence_;
  std::function<void(RegisterOutcome)> done_;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  std::unique_ptr<v1beta1::Registration::Stub> stub_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1beta1::Empty>> call_;
  v1beta1::Empty response_;
  grpc::Status status_;
  FunctionTag finished_{[this](bool /*ok*/) { finish(); }};
};

class GrpcPluginService final : public PluginService {
 public:
  explicit GrpcPluginService(AnswerContext answers) : answers_(std::move(answers)) {
    sleep_between_grpc_tasks();
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    limit_peers(builder);
    builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
    save_grpc_memory(builder);
    auto queue = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    thread_ = std::make_unique<GrpcThread>(std::move(queue));
    thread_->post([this] { wait_for_calls(); });
  }

  ~GrpcPluginService() override {
    end();
    server_->Shutdown(std::chrono::system_clock::now() + kShutdownGrace);
    thread_->finish();
  }

  void end() override {
    if (!std::exchange(ended_, true)) end_all_streams();
  }

  void serve(UniqueFd connection, std::shared_ptr<ResourceChannel> channel) override {
    const std::string resource = channel->resource;
    auto fd = connections_.add(std::move(connection), std::move(channel));
    if (!fd) {
      if (const auto more = refusals_.admit(std::chrono::steady_clock::now())) {
        log::warning(fd.error().message, {{"resource", resource}, {"more", std::to_string(*more)}});
      }
      return;
    }
    grpc::AddInsecureChannelFromFd(server_.get(), fd->release());
  }

  void end_streams(std::shared_ptr<ResourceChannel> channel) override {
    thread_->post([this, channel = std::move(channel)] {
      channel->withdrawn = true;
      for_each_stream(*channel, [](auto& call) { call.finish_when_sent(withdrawn_status()); });
    });
  }

  void end_open_streams(std::shared_ptr<ResourceChannel> channel) override {
    thread_->post([this, channel = std::move(channel)] {
      for_each_stream(*channel, [](auto& call) { call.finish_when_sent(grpc::Status::OK); });
    });
  }

  void cancel_streams(std::shared_ptr<ResourceChannel> channel) override {
    thread_->post([this, channel = std::move(channel)] {
      for_each_stream(*channel, [](auto& call) { call.cancel(); });
    });
  }

  void ask_for_life(std::function<void()> done) override {
    thread_->post([done = std::move(done)] { done(); });
  }

  void look_for_peers(std::shared_ptr<ResourceChannel> channel) override {
    // Behind the streams that came before their peer hung up: see end_all_streams().
    thread_->post([this, channel = std::move(channel)] {
      thread_->post([this, channel] {
        if (!connections_.any_open(*channel)) channel->on_stream(StreamEvent::none_can_come);
      });
    });
  }

  uint64_t register_resource(const KubeletSocket& kubelet, const std::string& endpoint,
                             const inventory::Snapshot& snapshot,
                             std::chrono::milliseconds deadline,
                             std::function<void(RegisterOutcome)> done) override {
    v1beta1::RegisterRequest request;
    request.set_version("v1beta1");
    request.set_endpoint(endpoint);
    request.set_resource_name(snapshot.resource->name);
    *request.mutable_options() = plugin_options(snapshot);
    const uint64_t number = ++registered_;
    thread_->post([this, number, kubelet, request, deadline, done = std::move(done)]() mutable {
      auto* call = new RegisterCall(*thread_, kubelet_channel_.get(kubelet), request, deadline,
                                    std::move(done));
      register_calls_[number] = call;
      call->on_end = [this, number] { register_calls_.erase(number); };
      if (open_streams_.finishing()) call->cancel();
    });
    return number;
  }

  void cancel_register(uint64_t number) override {
    thread_->post([this, number] {
      const auto call = register_calls_.find(number);
      if (call != register_calls_.end()) call->second->withdraw();
    });
  }

 private:
  /// First answers what has been asked: with its stream the kubelet drops all its calls. Then goes
  /// on answering until it has done so: a call that it makes before it sees the stream's end would
  /// fail on a server that is shut, and with it the start of a Pod.
  void end_all_streams() {
    const auto peers = connections_.copies();
    wait_until_read(peers, kReadWithin);
    // Twice round the queue: by then the calls that were read just now stand in it, and go before.
    thread_->post([this] {
      thread_->post([this] { open_allocations_.when_none([this] { finish_open_calls(); }); });
    });
    wait_for_hang_up(peers, kHangUpWithin);
    // Those that wait for a file system that hangs.
    thread_->post([this] { open_allocations_.finish_all(); });
  }

  void finish_open_calls() {
    open_streams_.finish_all();
    open_starts_.finish_all();
    for (const auto& [number, call] : register_calls_) call->cancel();
  }

  void wait_for_calls() {
    const CallEnvironment environment{
        .service = service_, .connections = connections_, .thread = *thread_, .answers = answers_};
    UnaryCall<v1beta1::Empty, v1beta1::DevicePluginOptions>::wait_for_next(
        environment, &BoundedService::RequestGetDevicePluginOptions);
    AllocateCall::wait_for_next(environment, open_allocations_);
    UnaryCall<v1beta1::PreferredAllocationRequest, v1beta1::PreferredAllocationResponse>::
        wait_for_next(environment, &BoundedService::RequestGetPreferredAllocation);
    PreStartCall::wait_for_next(environment, open_starts_);
    ListAndWatchCall::wait_for_next(environment, open_streams_);
  }

  template <typename Function>
  void for_each_stream(const ResourceChannel& channel, const Function& function) {
    open_streams_.for_each([&](ListAndWatchCall& call) {
      if (call.channel() == &channel) function(call);
    });
  }

  AnswerContext answers_;
  BoundedService service_;
  Connections connections_;
  log::RareLine refusals_;
  OpenCalls<ListAndWatchCall> open_streams_;  // gRPC's thread, as the next three.
  OpenCalls<AllocateCall> open_allocations_;
  OpenCalls<PreStartCall> open_starts_;
  std::map<uint64_t, RegisterCall*> register_calls_;
  KubeletChannel kubelet_channel_;
  uint64_t registered_ = 0;  ///< So many calls; the loop's thread, as the next one.
  bool ended_ = false;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<GrpcThread> thread_;
};

}  // namespace

std::unique_ptr<PluginService> PluginService::start(AnswerContext answers) {
  return std::make_unique<GrpcPluginService>(std::move(answers));
}

}  // namespace patchbay::serve
