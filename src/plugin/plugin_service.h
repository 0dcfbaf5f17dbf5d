#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "plugin/answers.h"
#include "plugin/resource_channel.h"
#include "plugin/socket_identity.h"

namespace patchbay::plugin {

/// The result of a Register call.
struct RegisterOutcome {
  enum class Kind {
    accepted,
    /// No answer in time. The kubelet may have accepted it nevertheless (docs/kubelet.md:
    /// Register).
    timed_out,
    unreachable,  ///< No listener on kubelet.sock.
    refused,      ///< The kubelet answered with an error.
  };
  Kind kind = Kind::accepted;
  std::string message;  ///< gRPC's message, unless accepted.
};

/// The kubelet to register with.
struct KubeletSocket {
  std::string path;
  SocketIdentity identity;  ///< Distinguishes kubelets that listened at the path one after another.
};

/// Runs the one gRPC server of the process, with one completion queue and one thread. It serves the
/// DevicePlugin service of all resources, on connections that listeners accepted, and makes our
/// calls to the kubelet.
///
/// Answers come from snapshots in memory, and nothing on this thread blocks. It is an interface, so
/// that few files include gRPC headers.
class PluginService {
 public:
  /// `loop` outlives it.
  [[nodiscard]] static std::unique_ptr<PluginService> start(loop::EventLoop& loop,
                                                            AnswerContext answers);
  /// Calls end(). Then ends what is left, waits until no call exists, and joins the thread.
  virtual ~PluginService() = default;

  /// Ends all streams, and answers other calls until the peers have hung up, or for 0.3 s. It does
  /// not wait for `preStart` steps. Blocks; no serve() may run concurrently. Once.
  virtual void end() = 0;

  /// Serves one accepted connection for `channel`'s resource. A refused connection is logged and
  /// closed.
  virtual void serve(UniqueFd connection, const std::shared_ptr<ResourceChannel>& channel) = 0;

  /// Withdraws the resource: each open stream ends after the newest snapshot was sent, and each
  /// later stream at once.
  virtual void end_streams(std::shared_ptr<ResourceChannel> channel) = 0;
  /// Ends the streams that are open now, in the same way. Later streams are served, as
  /// re-registration requires.
  virtual void end_open_streams(std::shared_ptr<ResourceChannel> channel) = 0;
  /// Ends the open streams without waiting for the kubelet to read.
  virtual void cancel_streams(std::shared_ptr<ResourceChannel> channel) = 0;
  /// Sends StreamEvent::no_peers to the channel if no peer is connected.
  virtual void check_peers(std::shared_ptr<ResourceChannel> channel) = 0;

  /// `done` is called on gRPC's thread: a stalled thread delays it.
  virtual void check_liveness(std::function<void()> done) = 0;

  /// Registers the snapshot's resource on the kubelet's socket. The kubelet connects to `endpoint`
  /// before it answers. `done` runs on gRPC's thread. Returns the number of the call, for
  /// cancel_register().
  virtual uint64_t register_resource(const KubeletSocket& kubelet, const std::string& endpoint,
                                     const inventory::Snapshot& snapshot,
                                     std::chrono::milliseconds deadline,
                                     std::function<void(RegisterOutcome)> done) = 0;
  /// Cancels the call if the kubelet has not answered.
  virtual void cancel_register(uint64_t call) = 0;
};

}  // namespace patchbay::plugin
