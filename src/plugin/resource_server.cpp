#include "plugin/resource_server.h"

#include <sys/stat.h>

#include <utility>

#include "base/text.h"
#include "plugin/plugin_messages.h"
#include "plugin/plugin_service.h"
#include "rpc/endpoint.h"
#include "rpc/endpoint_name.h"

namespace patchbay::plugin {
namespace {

/// Long, because the kubelet connects back and requests the options within Register
/// (docs/dev/kubelet.md: Register).
constexpr std::chrono::seconds kRegisterDeadline{20};

}  // namespace

ResourceServer::ResourceServer(KubeletContext& context, const inventory::SnapshotPtr& first,
                               std::function<void()> acknowledged)
    : context_(context),
      channel_(
          std::make_shared<ResourceChannel>(first, context.counters.of(first->resource->name))),
      acknowledged_(first),
      on_acknowledged_(std::move(acknowledged)),
      registration_(context.loop, channel_->name, *this,
                    static_cast<uint32_t>(stable_hash(channel_->name + context.start_id))) {
  channel_->on_stream =
      [&loop = context.loop,
       event_here = weak_self_.guard(&ResourceServer::on_stream)](StreamEvent event) mutable {
        loop.post([event_here, event]() mutable { event_here(event); });
      };
  channel_->on_sent = [&loop = context.loop,
                       sent_here = weak_self_.guard(&ResourceServer::acknowledge)](
                          const inventory::SnapshotPtr& list) mutable {
    loop.post([sent_here, list]() mutable { sent_here(list); });
  };
  channel_->on_hang_up =
      weak_self_.guard([](ResourceServer& server) { server.registration_.peer_disconnected(); });
  context_.servers.insert(this);
}

ResourceServer::~ResourceServer() { context_.servers.erase(this); }

void ResourceServer::on_stream(StreamEvent event) {
  status::ResourceCounters& counters = *channel_->counters;
  if (event == StreamEvent::live) counters.registered.add();
  if (event == StreamEvent::ended) counters.streams_ended.add();
  registration_.stream_event(event);
  if (!registration_.has_streams()) acknowledge(channel_->hub.current());
  check_withdrawn();
}

void ResourceServer::acknowledge(const inventory::SnapshotPtr& list) {
  if (std::exchange(acknowledged_, list) != list) on_acknowledged_();
}

void ResourceServer::check_withdrawn() {
  if (!withdrawn_) return;
  if (!registration_.has_streams()) {
    withdrawing_ = context_.loop.after(loop::Milliseconds(0), std::exchange(withdrawn_, nullptr));
  } else if (!withdrawing_) {
    withdrawing_ = context_.loop.after(kWithdrawTimeout,
                                       [this] { context_.service.cancel_streams(channel_); });
  }
}

void ResourceServer::publish(const inventory::SnapshotPtr& snapshot) {
  const auto before = channel_->hub.current();
  const bool options_changed = !same_plugin_options(*before, *snapshot);
  // A stream that opens later begins with this list.
  if (!channel_->hub.publish(snapshot)) acknowledge(snapshot);
  if (options_changed) registration_.re_register();
}

void ResourceServer::withdraw(loop::Task withdrawn) {
  registration_.stop();
  listener_.reset();
  const auto last = channel_->hub.current();
  publish(std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = last->resource, .units = {}}));
  context_.service.end_streams(channel_);
  withdrawn_ = std::move(withdrawn);
  check_withdrawn();
}

void ResourceServer::on_kubelet_socket(std::optional<SocketIdentity> socket) {
  registration_.on_kubelet_socket(socket);
}

status::RegistrationStatus ResourceServer::status() const {
  status::RegistrationStatus status = registration_.status();
  status.endpoint = endpoint_;
  return status;
}

void ResourceServer::on_deleted(const std::string& name) {
  if (endpoint_.empty() || (!name.empty() && name != endpoint_)) return;
  struct stat status {};
  const std::string path = context_.directory + "/" + endpoint_;
  if (lstat(path.c_str(), &status) == 0) return;
  endpoint_.clear();
  registration_.endpoint_deleted();
}

void ResourceServer::end_streams() { context_.service.end_open_streams(channel_); }

void ResourceServer::check_peers() { context_.service.check_peers(channel_); }

Result<std::string> ResourceServer::open_endpoint() {
  endpoint_.clear();
  listener_.reset();
  auto opened = rpc::open_endpoint(
      context_.loop,
      {.directory = context_.directory,
       .start_id = context_.start_id,
       .name =
           [this](uint64_t n) { return rpc::endpoint_name(channel_->name, context_.start_id, n); }},
      context_.endpoints,
      [this](UniqueFd connection) { context_.service.serve(std::move(connection), channel_); });
  if (!opened) return std::unexpected(std::move(opened).error());
  listener_ = std::move(opened->listener);
  endpoint_ = opened->name;
  return endpoint_;
}

loop::Subscription ResourceServer::send_register(
    const SocketIdentity& kubelet, const std::string& endpoint,
    std::move_only_function<void(RegisterOutcome)> done) {
  // Shared, because gRPC's side requires a copyable function; called once.
  auto shared = std::make_shared<std::move_only_function<void(RegisterOutcome)>>(std::move(done));
  auto here = weak_self_.guard([shared](ResourceServer& server, const RegisterOutcome& outcome) {
    using Kind = RegisterOutcome::Kind;
    if (outcome.kind != Kind::accepted) server.channel_->counters->not_registered.add();
    (*shared)(outcome);
  });
  const uint64_t call = context_.service.register_resource(
      {.path = context_.directory + "/kubelet.sock", .identity = kubelet}, endpoint,
      *channel_->hub.current(), kRegisterDeadline,
      [&loop = context_.loop, here](const RegisterOutcome& outcome) {
        loop.post([here, outcome]() mutable { here(outcome); });
      });
  return loop::Subscription([&service = context_.service, call] { service.cancel_register(call); });
}

}  // namespace patchbay::plugin
