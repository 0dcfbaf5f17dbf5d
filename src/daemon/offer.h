#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/change_log.h"
#include "daemon/publisher.h"
#include "daemon/unit_file_writer.h"
#include "inventory/resolution.h"
#include "loop/blocking_work.h"
#include "loop/event_loop.h"
#include "serve/plugin_host.h"
#include "specs/unit_file_store.h"
#include "status/counters.h"
#include "status/health_history.h"
#include "status/registration_status.h"

namespace patchbay::daemon {

/// Offers one resource to the kubelet. It owns the state that outlives configurations: the change
/// log, the unit files, and the plugin with its socket, registration and streams. The change log
/// gets each snapshot at once. After this process was elected for the resource, the files of a
/// snapshot are written, and then its list is sent. Loop thread.
class Offer {
 public:
  struct Callbacks {
    /// This process was elected: no other one serves the resource. Called once, before the unit
    /// files are written.
    std::function<void()> elected;
    /// The kubelet can get the resource's list. Called once.
    std::function<void()> served;
  };

  /// `work` runs the writes of unit files. `work` and `plugins` outlive it.
  Offer(loop::EventLoop& loop, loop::BlockingWork& work, serve::PluginHost& plugins,
        std::shared_ptr<specs::UnitFileStore> store,
        std::shared_ptr<status::ResourceCounters> counters, Callbacks callbacks);
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;
  ~Offer();

  /// Takes the new state of the resource. `at_once`: it is sent without waiting for `settle`.
  void update(const inventory::ResolvedResource& resource, bool at_once = false);
  /// The last list sent to the kubelet, or waiting for the election or its files; null: none.
  [[nodiscard]] const inventory::SnapshotPtr& last_sent() const { return publisher_.sent(); }

  /// Withdraws the resource. The socket is removed, an empty list is sent on every open stream, and
  /// the streams end; then the unit files are removed. `withdrawn` is called once, later, and no
  /// other callback follows. Destroy the Offer then.
  void withdraw(loop::Task withdrawn);

  [[nodiscard]] bool served() const { return plugin_ != nullptr; }
  [[nodiscard]] status::RegistrationStatus status() const;
  /// The health of its units over the last day.
  [[nodiscard]] std::vector<status::HealthHistory::Span> history() const {
    return history_.spans(loop_.now());
  }

 private:
  void publish(inventory::SnapshotPtr snapshot);
  void elected();
  void serve(inventory::SnapshotPtr snapshot);

  loop::EventLoop& loop_;
  serve::PluginHost& plugins_;
  Callbacks callbacks_;
  inventory::SnapshotPtr last_;  ///< Last snapshot given to update().
  ChangeLog change_log_;
  status::HealthHistory history_;
  UnitFileWriter files_;
  Publisher publisher_;
  bool campaigning_ = false;                       ///< An election for the resource was joined.
  bool elected_ = false;                           ///< The election was won.
  inventory::SnapshotPtr newest_;                  ///< To be published after the election.
  std::unique_ptr<serve::ResourceServer> plugin_;  ///< Null before its first list.
  bool withdrawing_ = false;
  loop::Time since_;          ///< Start of the standby, registering or withdrawing state.
  loop::Subscription ended_;  ///< Continues withdraw() if there is no plugin.
};

}  // namespace patchbay::daemon
