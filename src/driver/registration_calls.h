#pragma once

#include <functional>
#include <string>
#include <utility>

#include "driver/driver_messages.h"
#include "proto/pluginregistration_v1.grpc.pb.h"
#include "rpc/unary_call.h"

/// The calls of the kubelet's registration service. Both are answered at once. The kubelet waits
/// 1 s for the first one. If the second one fails, it unregisters the driver
/// (docs/dev/kubelet.md: Registration of drivers). gRPC's thread.
namespace patchbay::driver {

/// The owner of a registration socket and its connections.
struct RegistrationOwner final : rpc::SocketOwner {
  RegistrationOwner(std::string driver, std::string its_endpoint)
      : SocketOwner(std::move(driver)), endpoint(std::move(its_endpoint)) {}

  const std::string endpoint;  ///< The path of the service's socket.
  /// Called on gRPC's thread when the kubelet has registered the driver, or rejected it.
  std::function<void(bool registered, std::string error)> on_status;
};

class RegistrationService final : public pluginregistration::Registration::AsyncService {
 public:
  using Owner = RegistrationOwner;  ///< The owner of a connection: see rpc::SocketOwner.
};

/// Answers one GetInfo.
class GetInfoCall final
    : public rpc::UnaryCall<GetInfoCall, RegistrationService, pluginregistration::InfoRequest,
                            pluginregistration::PluginInfo> {
 public:
  static constexpr auto kRequest = &RegistrationService::RequestGetInfo;

  GetInfoCall(const rpc::CallEnvironment<RegistrationService>& environment,
              rpc::OpenCalls<GetInfoCall>& open)
      : UnaryCall(environment, open) {}

  void begin(RegistrationOwner& owner) {
    response() = plugin_info(owner.name, owner.endpoint);
    finish(grpc::Status::OK);
  }
  static void count(RegistrationOwner& /*owner*/, bool /*ok*/, Duration /*duration*/) {}
};

/// Answers one NotifyRegistrationStatus.
class NotifyStatusCall final
    : public rpc::UnaryCall<NotifyStatusCall, RegistrationService,
                            pluginregistration::RegistrationStatus,
                            pluginregistration::RegistrationStatusResponse> {
 public:
  static constexpr auto kRequest = &RegistrationService::RequestNotifyRegistrationStatus;

  NotifyStatusCall(const rpc::CallEnvironment<RegistrationService>& environment,
                   rpc::OpenCalls<NotifyStatusCall>& open)
      : UnaryCall(environment, open) {}

  void begin(RegistrationOwner& owner) {
    finish(grpc::Status::OK);
    owner.on_status(request().plugin_registered(), request().error());
  }
  static void count(RegistrationOwner& /*owner*/, bool /*ok*/, Duration /*duration*/) {}
};

}  // namespace patchbay::driver
