#include "plugin/plugin_service.h"

#include <expected>
#include <map>

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include "base/log.h"
#include "base/rate_limited_log.h"
#include "plugin/allocate_call.h"
#include "plugin/immediate_calls.h"
#include "plugin/list_and_watch_call.h"
#include "plugin/plugin_messages.h"
#include "plugin/pre_start_call.h"
#include "rpc/grpc_event_engine.h"
#include "rpc/grpc_setup.h"
#include "rpc/peers.h"
#include "rpc/unix_listener.h"

namespace patchbay::plugin {
namespace {

/// For bytes sent before end(): a peer that never stops sending must not delay it.
constexpr std::chrono::milliseconds kReadTimeout{100};
/// The kubelet closes its connection when it sees the end of its stream. Other peers get no more
/// time.
constexpr std::chrono::milliseconds kHangUpTimeout{300};
/// For answers that are being written when the shutdown begins.
constexpr std::chrono::milliseconds kShutdownGrace{500};
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

/// Caches a connection to one kubelet. Calls of one burst share it; it is closed with the last of
/// them. The channel is made from a connected descriptor. A channel that connects by itself takes
/// tens of kilobytes. gRPC 1.51 also leaks its subchannel, about 4 KB, if it is destroyed too
/// early.
class KubeletChannel {
 public:
  /// The errno, if there is no connection.
  std::expected<std::shared_ptr<grpc::Channel>, int> get(const KubeletSocket& kubelet) {
    auto channel = channel_.lock();
    if (channel && identity_ == kubelet.identity) return channel;
    auto connection = rpc::connect_unix(kubelet.path);
    if (!connection) return std::unexpected(connection.error());
    grpc::ChannelArguments arguments;
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
    arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(kKubeletPing.count()));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kKubeletPingTimeout.count()));
    channel =
        grpc::CreateCustomInsecureChannelFromFd("localhost", connection->release(), arguments);
    channel_ = channel;
    identity_ = kubelet.identity;
    return channel;
  }
  /// Later calls use another connection.
  void drop() { channel_.reset(); }

 private:
  std::weak_ptr<grpc::Channel> channel_;
  SocketIdentity identity_;
};

/// One Register call. Owns itself.
class RegisterCall final {
 public:
  RegisterCall(rpc::GrpcThread& thread, std::shared_ptr<grpc::Channel> channel,
               const v1beta1::RegisterRequest& request, std::chrono::milliseconds deadline,
               std::function<void(RegisterOutcome)> done)
      : queue_ref_(thread),
        done_(std::move(done)),
        stub_(v1beta1::Registration::NewStub(std::move(channel))) {
    context_.set_deadline(std::chrono::system_clock::now() + deadline);
    call_ = stub_->AsyncRegister(&context_, request, thread.queue());
    call_->Finish(&response_, &status_, static_cast<rpc::Tag*>(&finished_));
  }

  void cancel() { context_.TryCancel(); }
  [[nodiscard]] bool failed() const { return !status_.ok(); }
  /// Called before the object deletes itself.
  std::function<void()> on_end;

 private:
  void finish() {
    const std::unique_ptr<RegisterCall> self(this);
    on_end();
    done_(outcome_of(status_));
  }

  rpc::GrpcThread::QueueRef queue_ref_;
  std::function<void(RegisterOutcome)> done_;
  grpc::ClientContext context_;
  std::unique_ptr<v1beta1::Registration::Stub> stub_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1beta1::Empty>> call_;
  v1beta1::Empty response_;
  grpc::Status status_;
  rpc::FunctionTag finished_{[this](bool /*ok*/) { finish(); }};
};

class GrpcPluginService final : public PluginService {
 public:
  GrpcPluginService(loop::EventLoop& loop, AnswerContext answers)
      : answers_(std::move(answers)), service_(answers_), connections_(loop) {
    rpc::install_event_engine();
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    rpc::limit_peers(builder, kMaxRequestBytes);
    builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
    rpc::reduce_grpc_memory(builder);
    auto queue = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    thread_ = std::make_unique<rpc::GrpcThread>(std::move(queue));
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

  void serve(UniqueFd connection, const std::shared_ptr<ResourceChannel>& channel) override {
    auto fd = connections_.add(std::move(connection), channel);
    if (!fd) {
      if (const auto more = refusals_.admit(std::chrono::steady_clock::now())) {
        log::warning(fd.error().message,
                     {{"resource", channel->name}, {"suppressed", std::to_string(*more)}});
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

  void check_liveness(std::function<void()> done) override {
    thread_->post([done = std::move(done)] { done(); });
  }

  void check_peers(std::shared_ptr<ResourceChannel> channel) override {
    // On gRPC's thread, after the events of streams. A stream that arrives after the hang-up of its
    // peer belongs to no resource.
    thread_->post([this, channel = std::move(channel)] {
      if (!connections_.has_open_connection(*channel)) channel->on_stream(StreamEvent::no_peers);
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
      auto channel = kubelet_channel_.get(kubelet);
      if (!channel) {
        const Error error =
            fail_errno("cannot connect to " + kubelet.path, channel.error()).error();
        return done({.kind = RegisterOutcome::Kind::unreachable, .message = error.message});
      }
      auto* call =
          new RegisterCall(*thread_, *std::move(channel), request, deadline, std::move(done));
      register_calls_[number] = call;
      call->on_end = [this, number, call] {
        if (call->failed()) kubelet_channel_.drop();
        register_calls_.erase(number);
      };
      if (open_streams_.finishing()) call->cancel();
    });
    return number;
  }

  void cancel_register(uint64_t number) override {
    thread_->post([this, number] {
      const auto call = register_calls_.find(number);
      if (call != register_calls_.end()) call->second->cancel();
    });
  }

 private:
  /// First answers the calls made so far: when its stream ends, the kubelet drops all its calls.
  /// Then it answers further calls until the kubelet has done that. A call made before the kubelet
  /// sees the end of the stream would otherwise fail, and with it the start of a Pod.
  void end_all_streams() {
    const auto peers = connections_.descriptors();
    rpc::wait_until_read(peers, kReadTimeout);
    // Posted twice: by then the calls just read are in the queue, and run before.
    thread_->post([this] {
      thread_->post([this] { open_allocations_.when_none([this] { finish_open_calls(); }); });
    });
    rpc::wait_for_hang_up(peers, kHangUpTimeout);
    // Allocate calls that wait for a hung file system.
    thread_->post([this] { open_allocations_.finish_all(); });
  }

  void finish_open_calls() {
    open_streams_.finish_all();
    open_starts_.finish_all();
    for (const auto& [number, call] : register_calls_) call->cancel();
  }

  void wait_for_calls() {
    const CallEnvironment environment{
        .service = service_, .connections = connections_, .thread = *thread_};
    OptionsCall::wait_for_next(environment, open_options_);
    AllocateCall::wait_for_next(environment, open_allocations_);
    PreferredCall::wait_for_next(environment, open_preferred_);
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
  DevicePluginService service_;
  rpc::Connections connections_;
  log::RateLimitedLog refusals_;
  rpc::OpenCalls<ListAndWatchCall> open_streams_;  // gRPC's thread, as the next six.
  rpc::OpenCalls<AllocateCall> open_allocations_;
  rpc::OpenCalls<PreStartCall> open_starts_;
  rpc::OpenCalls<OptionsCall> open_options_;
  rpc::OpenCalls<PreferredCall> open_preferred_;
  std::map<uint64_t, RegisterCall*> register_calls_;
  KubeletChannel kubelet_channel_;
  uint64_t registered_ = 0;  ///< Number of calls; the loop's thread, as the next one.
  bool ended_ = false;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<rpc::GrpcThread> thread_;
};

}  // namespace

std::unique_ptr<PluginService> PluginService::start(loop::EventLoop& loop, AnswerContext answers) {
  return std::make_unique<GrpcPluginService>(loop, std::move(answers));
}

}  // namespace patchbay::plugin
