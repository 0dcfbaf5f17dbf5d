#include "plugin/plugin_service.h"

#include <utility>

#include "plugin/plugin_messages.h"

namespace patchbay::plugin {

PluginService::PluginService(loop::EventLoop& loop, AnswerContext answers)
    : answers_(std::move(answers)),
      service_(answers_),
      server_(loop, {&service_}, kMaxRequestBytes) {
  server_.thread().post([this] { wait_for_calls(); });
}

void PluginService::end() {
  if (std::exchange(ended_, true)) return;
  server_.end([this] { open_allocations_.when_none([this] { finish_open_calls(); }); });
  // Allocate calls that wait for a hung file system.
  server_.thread().post([this] { open_allocations_.finish_all(); });
}

void PluginService::finish_open_calls() {
  open_streams_.finish_all();
  open_starts_.finish_all();
  kubelet_.end();
}

void PluginService::wait_for_calls() {
  const CallEnvironment environment{
      .service = service_, .connections = server_.connections(), .thread = server_.thread()};
  OptionsCall::wait_for_next(environment, open_options_);
  AllocateCall::wait_for_next(environment, open_allocations_);
  PreferredCall::wait_for_next(environment, open_preferred_);
  PreStartCall::wait_for_next(environment, open_starts_);
  ListAndWatchCall::wait_for_next(environment, open_streams_);
}

template <typename Function>
void PluginService::for_each_stream(const ResourceChannel& channel, const Function& function) {
  open_streams_.for_each([&](ListAndWatchCall& call) {
    if (call.channel() == &channel) function(call);
  });
}

void PluginService::end_streams(std::shared_ptr<ResourceChannel> channel) {
  server_.thread().post([this, channel = std::move(channel)] {
    channel->withdrawn = true;
    for_each_stream(*channel, [](auto& call) { call.finish_when_sent(withdrawn_status()); });
  });
}

void PluginService::end_open_streams(std::shared_ptr<ResourceChannel> channel) {
  server_.thread().post([this, channel = std::move(channel)] {
    for_each_stream(*channel, [](auto& call) { call.finish_when_sent(grpc::Status::OK); });
  });
}

void PluginService::cancel_streams(std::shared_ptr<ResourceChannel> channel) {
  server_.thread().post([this, channel = std::move(channel)] {
    for_each_stream(*channel, [](auto& call) { call.cancel(); });
  });
}

void PluginService::check_peers(std::shared_ptr<ResourceChannel> channel) {
  // On gRPC's thread, after the events of streams. A stream that arrives after the hang-up of its
  // peer belongs to no resource.
  server_.thread().post([this, channel = std::move(channel)] {
    if (!server_.connections().has_open_connection(*channel)) {
      channel->on_stream(StreamEvent::no_peers);
    }
  });
}

uint64_t PluginService::register_resource(const KubeletSocket& kubelet, const std::string& endpoint,
                                          const inventory::Snapshot& snapshot,
                                          std::chrono::milliseconds deadline,
                                          std::function<void(RegisterOutcome)> done) {
  v1beta1::RegisterRequest request;
  request.set_version("v1beta1");
  request.set_endpoint(endpoint);
  request.set_resource_name(snapshot.resource->name);
  *request.mutable_options() = plugin_options(snapshot);
  return kubelet_.register_resource(server_.thread(), kubelet, std::move(request), deadline,
                                    std::move(done));
}

void PluginService::cancel_register(uint64_t call) {
  server_.thread().post([this, call] { kubelet_.cancel(call); });
}

}  // namespace patchbay::plugin
