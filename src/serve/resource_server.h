#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "loop/weak_self.h"
#include "observe/counters.h"
#include "observe/registration_status.h"
#include "serve/kubelet_wait.h"
#include "serve/plugin_service.h"
#include "serve/registration.h"
#include "serve/resource_channel.h"
#include "serve/unix_listener.h"
#include "serve/waiting_room.h"

namespace patchbay::serve {

class ResourceServer;

/// What all plugins towards one kubelet share. Loop thread; outlives them.
struct KubeletSide {
  loop::EventLoop& loop;
  PluginService& service;
  KubeletWait& wait;
  std::string directory;  ///< The kubelet's, of all sockets.
  std::string start_id;   ///< See endpoint_name().
  observe::Counters& counters;
  uint64_t endpoints = 0;               ///< That were made: none comes twice.
  std::set<ResourceServer*> servers{};  ///< All there are.
};

/// One plugin: a resource's snapshots, its socket and its registration. Loop thread.
class ResourceServer final : private Registration::Actions {
 public:
  /// The kubelet gives a list that it does not take so long.
  static constexpr loop::Milliseconds kWithdrawWithin{5000};

  /// `first` is the snapshot that the first message of ListAndWatch carries.
  ResourceServer(KubeletSide& side, const inventory::SnapshotPtr& first);
  ~ResourceServer() override;

  /// `heard`: when the event was heard that led to it; none: it was no event.
  void publish(inventory::SnapshotPtr snapshot, std::optional<loop::Time> heard = {});
  /// The resource is offered no more: sends an empty list, then ends the streams; the socket goes
  /// at once. `withdrawn` is called when no stream is open any more; once, later.
  void withdraw(loop::Task withdrawn);
  void kubelet_socket(std::optional<SocketIdentity> socket);
  [[nodiscard]] observe::RegistrationStatus status() const;
  /// A file of the directory was deleted; empty: any may have been.
  void deleted(const std::string& name);

 private:
  Result<std::string> open_endpoint() override;
  loop::Subscription send_register(const SocketIdentity& kubelet, const std::string& endpoint,
                                   std::move_only_function<void(RegisterOutcome)> done) override;
  void end_streams() override { side_.service.end_open_streams(channel_); }
  void look_for_peers() override { side_.service.look_for_peers(channel_); }
  void unreachable(const std::string& reason) override { side_.wait.unreachable(reason); }
  void reached() override { side_.wait.reached(); }
  void on_stream(StreamEvent event);
  void on_hang_up();
  void check_withdrawn();

  KubeletSide& side_;
  std::shared_ptr<ResourceChannel> channel_;
  std::string endpoint_;  ///< File name; empty before the first.
  std::unique_ptr<UnixListener> listener_;
  Registration registration_;
  WaitingRoom waiting_room_;
  loop::Task withdrawn_;
  loop::Subscription withdrawing_;
  loop::WeakSelf<ResourceServer> weak_self_{this};
};

}  // namespace patchbay::serve
