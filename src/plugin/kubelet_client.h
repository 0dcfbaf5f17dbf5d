#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <grpcpp/channel.h>

#include "plugin/kubelet_directory.h"
#include "plugin/registration.h"
#include "proto/deviceplugin_v1beta1.pb.h"
#include "rpc/grpc_thread.h"

namespace patchbay::plugin {

/// The kubelet to register with.
struct KubeletSocket {
  std::string path;
  SocketIdentity identity;  ///< A restarted kubelet has another identity at the same path.
};

/// Makes the Register calls to the kubelet. They run on gRPC's thread, which this object outlives.
///
/// Concurrent calls share one connection, which is closed after the last of them. The channel is
/// created from a connected descriptor: a channel that connects by itself takes tens of kilobytes.
/// If such a channel is destroyed too early, gRPC 1.51 also leaks its subchannel, about 4 KB.
class KubeletClient {
 public:
  /// Starts a call and returns its number for cancel(). Call it on the loop thread. `done` runs on
  /// gRPC's thread.
  uint64_t register_resource(rpc::GrpcThread& thread, const KubeletSocket& kubelet,
                             v1beta1::RegisterRequest request, std::chrono::milliseconds deadline,
                             std::function<void(RegisterOutcome)> done);
  /// Cancels the call if the kubelet has not answered. gRPC's thread.
  void cancel(uint64_t call);
  /// Cancels all calls, also later ones. gRPC's thread.
  void end();

 private:
  class Call;

  /// Returns the shared channel, or a new one. The error is an errno.
  std::expected<std::shared_ptr<grpc::Channel>, int> channel_to(const KubeletSocket& kubelet);
  void start(uint64_t number, rpc::GrpcThread& thread, const KubeletSocket& kubelet,
             const v1beta1::RegisterRequest& request, std::chrono::milliseconds deadline,
             std::function<void(RegisterOutcome)> done);

  uint64_t started_ = 0;  ///< Number of calls so far. Used on the loop thread.

  // Used on gRPC's thread only.
  std::map<uint64_t, Call*> calls_;
  std::weak_ptr<grpc::Channel> channel_;
  SocketIdentity identity_;  ///< The kubelet of channel_.
  bool ended_ = false;
};

}  // namespace patchbay::plugin
