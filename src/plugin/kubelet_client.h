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
  SocketIdentity identity;  ///< Distinguishes kubelets that listened at the path one after another.
};

/// Makes our Register calls to the kubelet. Outlives the gRPC thread, on which the calls run.
///
/// Calls of one burst share a connection; it is closed with the last of them. The channel is made
/// from a connected descriptor. A channel that connects by itself takes tens of kilobytes. gRPC
/// 1.51 also leaks its subchannel, about 4 KB, if it is destroyed too early.
class KubeletClient {
 public:
  /// Starts a call and returns its number, for cancel(). `done` runs on gRPC's thread. Loop thread.
  uint64_t register_resource(rpc::GrpcThread& thread, const KubeletSocket& kubelet,
                             v1beta1::RegisterRequest request, std::chrono::milliseconds deadline,
                             std::function<void(RegisterOutcome)> done);
  /// Cancels the call if the kubelet has not answered. gRPC's thread.
  void cancel(uint64_t call);
  /// Cancels all calls, also later ones. gRPC's thread.
  void end();

 private:
  class Call;

  /// The errno, if there is no connection.
  std::expected<std::shared_ptr<grpc::Channel>, int> channel_to(const KubeletSocket& kubelet);
  void start(uint64_t number, rpc::GrpcThread& thread, const KubeletSocket& kubelet,
             const v1beta1::RegisterRequest& request, std::chrono::milliseconds deadline,
             std::function<void(RegisterOutcome)> done);

  uint64_t started_ = 0;  ///< Number of calls; loop thread.

  // Used on gRPC's thread only.
  std::map<uint64_t, Call*> calls_;
  std::weak_ptr<grpc::Channel> channel_;
  SocketIdentity identity_;  ///< The kubelet of channel_.
  bool ended_ = false;
};

}  // namespace patchbay::plugin
