#pragma once

#include <memory>
#include <string>

#include "serve/kubelet_wait.h"
#include "serve/plugin_service.h"
#include "serve/registration.h"
#include "serve/resource_channel.h"
#include "serve/unix_listener.h"

namespace patchbay::serve {

/// One plugin: a resource's snapshots, its socket and its registration. Loop thread.
class ResourceServer final : private Registration::Actions {
 public:
  /// `first` is the snapshot that the first message of ListAndWatch carries.
  ResourceServer(loop::EventLoop& loop, PluginService& service, KubeletWait& wait,
                 std::string directory, std::string start_id, const inventory::SnapshotPtr& first);
  ~ResourceServer() override;

  void publish(inventory::SnapshotPtr snapshot);
  void kubelet_socket(std::optional<SocketIdentity> socket);
  /// A file of the directory was deleted; empty: any may have been.
  void deleted(const std::string& name);

  [[nodiscard]] const std::string& resource() const { return channel_->resource; }

 private:
  Result<std::string> open_endpoint() override;
  void send_register(const SocketIdentity& kubelet, const std::string& endpoint,
                     std::move_only_function<void(RegisterOutcome)> done) override;
  void unreachable(const std::string& reason) override { wait_.unreachable(reason); }
  void reached() override { wait_.reached(); }

  loop::EventLoop& loop_;
  PluginService& service_;
  KubeletWait& wait_;
  std::string directory_;
  std::string start_id_;
  std::shared_ptr<ResourceChannel> channel_;
  std::string endpoint_;  ///< File name; empty before the first.
  uint64_t endpoints_ = 0;
  std::unique_ptr<UnixListener> listener_;
  Registration registration_;
  /// Expires with this object: what gRPC's thread posts back is then dropped.
  std::shared_ptr<ResourceServer*> alive_;
};

}  // namespace patchbay::serve
