#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "serve/answers.h"
#include "serve/resource_channel.h"
#include "serve/socket_identity.h"

namespace patchbay::serve {

/// How a Register call ended.
struct RegisterOutcome {
  enum class Kind {
    accepted,
    /// No answer in time: the kubelet may all the same have taken it (kubelet contract 2.1).
    timed_out,
    unreachable,  ///< Nobody listens on kubelet.sock.
    refused,      ///< The kubelet answered with an error.
  };
  Kind kind = Kind::accepted;
  std::string message;  ///< gRPC's words, unless accepted.
};

/// The kubelet to register with.
struct KubeletSocket {
  std::string path;
  SocketIdentity identity;  ///< Which kubelet, of those that listened there in turn.
};

/// The one gRPC server of the process: all resources' DevicePlugin service, on connections that
/// listeners accepted, and our calls to the kubelet, with one completion queue and one thread.
///
/// Answers come from snapshots, in memory; nothing on this thread blocks. An interface, so that few
/// files are compiled with gRPC.
class PluginService {
 public:
  [[nodiscard]] static std::unique_ptr<PluginService> start(AnswerContext answers);
  /// As end(); then ends what is left, waits until no call lives, and joins the thread.
  virtual ~PluginService() = default;

  /// Ends all streams, and answers other calls until the peers have hung up, or for 0.3 s. Steps
  /// before a start are not waited for. Blocks; no serve() may be under way. Once.
  virtual void end() = 0;

  /// Serves one accepted connection as `channel`'s resource. A refused one is logged and closed.
  virtual void serve(UniqueFd connection, std::shared_ptr<ResourceChannel> channel) = 0;

  /// The resource is offered no more: each of its streams ends when the newest snapshot is sent,
  /// and later ones at once.
  virtual void end_streams(std::shared_ptr<ResourceChannel> channel) = 0;
  /// The same of the streams that are open now: who registers anew gets later ones.
  virtual void end_open_streams(std::shared_ptr<ResourceChannel> channel) = 0;
  /// … without waiting for the kubelet to take it.
  virtual void cancel_streams(std::shared_ptr<ResourceChannel> channel) = 0;
  /// Tells the channel StreamEvent::no_peers, if that is so.
  virtual void check_peers(std::shared_ptr<ResourceChannel> channel) = 0;

  /// `done` is called on gRPC's thread, when that goes on.
  virtual void check_liveness(std::function<void()> done) = 0;

  /// Registers the snapshot's resource on the kubelet's socket; the kubelet dials `endpoint` back
  /// before it answers. `done` runs on gRPC's thread. The number of the call, for
  /// cancel_register().
  virtual uint64_t register_resource(const KubeletSocket& kubelet, const std::string& endpoint,
                                     const inventory::Snapshot& snapshot,
                                     std::chrono::milliseconds deadline,
                                     std::function<void(RegisterOutcome)> done) = 0;
  /// The kubelet is told that nobody waits for its answer, if it has not answered.
  virtual void cancel_register(uint64_t call) = 0;
};

}  // namespace patchbay::serve
