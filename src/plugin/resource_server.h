#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "loop/weak_self.h"
#include "plugin/kubelet_availability.h"
#include "plugin/registration.h"
#include "plugin/resource_channel.h"
#include "rpc/unix_listener.h"
#include "status/counters.h"
#include "status/registration_status.h"

namespace patchbay::plugin {

class PluginService;
class ResourceServer;

/// The state that all plugins for one kubelet share. Loop thread; outlives them.
struct KubeletContext {
  loop::EventLoop& loop;
  PluginService& service;
  KubeletAvailability& availability;
  std::string directory;  ///< The kubelet's directory for sockets.
  std::string start_id;   ///< Unique to this process: see rpc::endpoint_name().
  status::Counters& counters;
  uint64_t endpoints = 0;               ///< Number of created endpoints, for unique names.
  std::set<ResourceServer*> servers{};  ///< All existing servers.
};

/// Serves one resource to the kubelet: manages its snapshots, socket and registration. Loop thread.
class ResourceServer final : private Registration::Actions {
 public:
  /// Time in which the kubelet can read the last list after withdraw(). Then its streams are
  /// cancelled.
  static constexpr loop::Milliseconds kWithdrawTimeout{5000};

  /// `first` is the content of the first ListAndWatch message. `acknowledged` is called when the
  /// result of acknowledged() has changed, possibly within a method of this object.
  ResourceServer(KubeletContext& context, const inventory::SnapshotPtr& first,
                 std::function<void()> acknowledged);
  ~ResourceServer() override;

  void publish(const inventory::SnapshotPtr& snapshot);
  /// Withdraws the resource. Closes the socket at once, sends an empty list and then ends the
  /// streams. `withdrawn` is called once, later, when no stream is open.
  void withdraw(loop::Task withdrawn);
  void on_kubelet_socket(std::optional<SocketIdentity> socket);
  /// The snapshot whose list was written last. The newest one if no stream is open. Never null.
  [[nodiscard]] const inventory::SnapshotPtr& acknowledged() const { return acknowledged_; }
  [[nodiscard]] status::RegistrationStatus status() const;
  /// Called when the file `name` of the kubelet's directory was deleted. If `name` is empty, any
  /// files may have been deleted.
  void on_deleted(const std::string& name);

 private:
  Result<std::string> open_endpoint() override;
  loop::Subscription send_register(const SocketIdentity& kubelet, const std::string& endpoint,
                                   std::move_only_function<void(RegisterOutcome)> done) override;
  void end_streams() override;
  void check_peers() override;
  void unreachable(const std::string& reason) override {
    context_.availability.unreachable(reason);
  }
  void reached() override { context_.availability.reached(); }
  void on_stream(StreamEvent event);
  void acknowledge(const inventory::SnapshotPtr& list);
  void check_withdrawn();

  KubeletContext& context_;
  std::shared_ptr<ResourceChannel> channel_;
  inventory::SnapshotPtr acknowledged_;
  std::function<void()> on_acknowledged_;
  std::string endpoint_;  ///< File name of the current socket. Empty if there is none.
  std::unique_ptr<rpc::UnixListener> listener_;
  Registration registration_;
  loop::Task withdrawn_;
  loop::Subscription withdrawing_;
  loop::WeakSelf<ResourceServer> weak_self_{this};
};

}  // namespace patchbay::plugin
