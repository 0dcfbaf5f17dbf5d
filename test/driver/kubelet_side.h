#pragma once

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/create_channel_posix.h>

#include "driver/driver_messages.h"
#include "fake/patience.h"
#include "proto/dra_v1.grpc.pb.h"
#include "proto/pluginregistration_v1.grpc.pb.h"
#include "rpc/unix_listener.h"

namespace patchbay::driver {

/// The answer to a call: its status as "CODE message", or "ok" and the message on one line.
using CallText = std::future<std::string>;

/// A connection of a kubelet to a socket of a driver. It ends with this object.
template <typename Service>
class KubeletConnection {
 public:
  explicit KubeletConnection(const std::string& path) {
    auto fd = rpc::connect_unix(path);
    if (fd) {
      stub_ = Service::NewStub(grpc::CreateInsecureChannelFromFd("localhost", fd->release()));
    } else {
      error_ = path + ": " + std::strerror(fd.error());
    }
  }

  /// Makes a call on a thread of its own.
  template <typename Request, typename Response>
  [[nodiscard]] CallText call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*,
                                                                    const Request&, Response*),
                              const Request& request) {
    return std::async(std::launch::async, [this, method, request]() -> std::string {
      if (!stub_) return "no connection: " + error_;
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + fake::kPatience);
      Response response;
      const grpc::Status status = (stub_.get()->*method)(&context, request, &response);
      if (!status.ok()) return std::to_string(status.error_code()) + " " + status.error_message();
      return "ok " + response.ShortDebugString();
    });
  }

 private:
  std::unique_ptr<typename Service::Stub> stub_;
  std::string error_;
};

/// The kubelet's calls to a registration socket.
class RegistrationClient {
 public:
  explicit RegistrationClient(const std::string& path) : connection_(path) {}
  CallText get_info() {
    return connection_.call(&pluginregistration::Registration::Stub::GetInfo,
                            pluginregistration::InfoRequest());
  }
  CallText notify(bool registered, const std::string& error = {}) {
    pluginregistration::RegistrationStatus status;
    status.set_plugin_registered(registered);
    status.set_error(error);
    return connection_.call(&pluginregistration::Registration::Stub::NotifyRegistrationStatus,
                            status);
  }

 private:
  KubeletConnection<pluginregistration::Registration> connection_;
};

/// The kubelet's calls to a service socket, for ResourceClaims "lab/claim-UID".
class DraClient {
 public:
  explicit DraClient(const std::string& path) : connection_(path) {}
  CallText prepare(const std::vector<std::string>& uids) {
    return connection_.call(&Plugin::Stub::NodePrepareResources,
                            request<api::NodePrepareResourcesRequest>(uids));
  }
  CallText unprepare(const std::vector<std::string>& uids) {
    return connection_.call(&Plugin::Stub::NodeUnprepareResources,
                            request<api::NodeUnprepareResourcesRequest>(uids));
  }

 private:
  using Plugin = api::DRAPlugin;

  template <typename Request>
  static Request request(const std::vector<std::string>& uids) {
    Request request;
    for (const std::string& uid : uids) {
      auto& claim = *request.add_claims();
      claim.set_namespace_("lab");
      claim.set_uid(uid);
      claim.set_name("claim-" + uid);
    }
    return request;
  }

  KubeletConnection<Plugin> connection_;
};

}  // namespace patchbay::driver
