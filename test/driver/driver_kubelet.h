#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "driver/kubelet_side.h"
#include "kube/slice_store.h"

namespace patchbay::driver {

/// A kubelet that registers a DRA driver and calls it. One thread.
class DriverKubelet {
 public:
  /// Registers the driver if the directory `registry` has a live socket of it that is not
  /// registered yet. Returns whether it registered one.
  bool register_driver(const std::string& registry,
                       const std::string& driver = kube::kPool.driver) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(registry, missing)) {
      // As the kubelet, which ignores sockets that do not have their final name.
      if (entry.path().filename().string().starts_with('.')) continue;
      const std::string socket = identity_of(entry.path());
      if (socket.empty() || socket == registered_) continue;
      if (register_by(entry.path(), driver)) {
        registered_ = socket;
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool has_driver() const { return service_ != nullptr; }
  /// Closes the connection, and makes another to the same socket. gRPC does so if there is no call
  /// for 30 minutes.
  void reconnect() {
    if (service_) service_ = std::make_shared<DraClient>(endpoint_);
  }
  /// The connection for calls. It outlives this object as long as a call needs it.
  [[nodiscard]] const std::shared_ptr<DraClient>& service() const { return service_; }

 private:
  /// Distinguishes a socket from an earlier one at its path. "": there is none.
  static std::string identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return path + " " + std::to_string(status.st_ino) + " " +
           std::to_string(status.st_ctim.tv_sec) + "." + std::to_string(status.st_ctim.tv_nsec);
  }

  bool register_by(const std::string& socket, const std::string& driver) {
    if (!rpc::connect_unix(socket)) return false;
    auto registration = std::make_unique<RegistrationClient>(socket);
    const std::string info = registration->get_info().get();
    if (!info.contains("name: \"" + driver + "\"")) return false;
    const std::string key = "endpoint: \"";
    const size_t begin = info.find(key) + key.size();
    if (registration->notify(true).get() != "ok ") return false;
    endpoint_ = info.substr(begin, info.find('"', begin) - begin);
    service_ = std::make_shared<DraClient>(endpoint_);
    registration_ = std::move(registration);
    return true;
  }

  std::string registered_;  ///< The identity of the socket.
  std::string endpoint_;
  std::unique_ptr<RegistrationClient> registration_;
  std::shared_ptr<DraClient> service_;
};

}  // namespace patchbay::driver
