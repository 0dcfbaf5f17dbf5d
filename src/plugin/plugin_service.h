#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "plugin/answers.h"
#include "plugin/device_plugin_service.h"
#include "plugin/kubelet_client.h"
#include "plugin/list_and_watch_call.h"
#include "plugin/resource_channel.h"
#include "plugin/unary_calls.h"
#include "rpc/open_calls.h"
#include "rpc/server.h"

namespace patchbay::plugin {

/// Serves the DevicePlugin service of all resources with one gRPC server, and calls the kubelet's
/// Register. Answers come from snapshots in memory, and nothing on gRPC's thread blocks. Loop
/// thread.
class PluginService {
 public:
  /// `loop` outlives this object.
  PluginService(loop::EventLoop& loop, AnswerContext answers);
  PluginService(const PluginService&) = delete;
  PluginService& operator=(const PluginService&) = delete;
  /// Calls end(), cancels the remaining calls, waits until none exists, and joins gRPC's thread.
  ~PluginService() { end(); }

  /// Ends all streams. Answers other calls until all peers have disconnected, at most 0.3 s. Does
  /// not wait for `preStart` steps. Blocks; no serve() may run concurrently. Only the first call
  /// has an effect.
  void end();

  /// Serves one accepted connection for `channel`'s resource. A refused connection is logged and
  /// closed.
  void serve(UniqueFd connection, const std::shared_ptr<ResourceChannel>& channel) {
    server_.serve(std::move(connection), channel);
  }

  /// Withdraws the resource: ends each open stream after the newest snapshot was sent. Each later
  /// stream ends at once.
  void end_streams(std::shared_ptr<ResourceChannel> channel);
  /// Ends each open stream after the newest snapshot was sent. Later streams are served, as
  /// re-registration requires.
  void end_open_streams(std::shared_ptr<ResourceChannel> channel);
  /// Ends the open streams at once, even if the kubelet has not read the newest snapshot.
  void cancel_streams(std::shared_ptr<ResourceChannel> channel);
  /// Sends StreamEvent::no_peers to the channel if no peer is connected.
  void check_peers(std::shared_ptr<ResourceChannel> channel);

  /// Calls `done` on gRPC's thread, so only if that thread is not stalled.
  void check_liveness(std::function<void()> done) { server_.thread().post(std::move(done)); }

  /// Registers the snapshot's resource with the kubelet. The kubelet connects to `endpoint` before
  /// it answers. `done` runs on gRPC's thread. Returns the number of the call for
  /// cancel_register().
  uint64_t register_resource(const KubeletSocket& kubelet, const std::string& endpoint,
                             const inventory::Snapshot& snapshot,
                             std::chrono::milliseconds deadline,
                             std::function<void(RegisterOutcome)> done);
  /// Cancels the call if the kubelet has not answered.
  void cancel_register(uint64_t call);

 private:
  void finish_open_calls();
  void wait_for_calls();
  template <typename Function>
  void for_each_stream(const ResourceChannel& channel, const Function& function);

  AnswerContext answers_;
  DevicePluginService service_;
  // The open calls are used on gRPC's thread only.
  rpc::OpenCalls<ListAndWatchCall> open_streams_;
  rpc::OpenCalls<AllocateCall> open_allocations_;
  rpc::OpenCalls<PreStartCall> open_starts_;
  rpc::OpenCalls<OptionsCall> open_options_;
  rpc::OpenCalls<PreferredCall> open_preferred_;
  KubeletClient kubelet_;  ///< Its calls run on gRPC's thread, too.
  bool ended_ = false;
  rpc::Server server_;  ///< Destroyed first, because its calls use the members above.
};

}  // namespace patchbay::plugin
