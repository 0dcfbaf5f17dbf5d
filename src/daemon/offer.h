#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/change_log.h"
#include "daemon/publisher.h"
#include "daemon/unit_file_writer.h"
#include "inventory/resolution.h"
#include "loop/blocking_work.h"
#include "loop/event_loop.h"
#include "observe/counters.h"
#include "observe/health_history.h"
#include "observe/registration_status.h"
#include "serve/plugin_host.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// What belongs to the name of one resource, and outlives configurations: the log of its changes,
/// the files of its units, and its plugin with socket, registration and streams. A snapshot goes
/// that way, in this order; past the log when no other process of ours serves the resource. Loop
/// thread.
class Offer {
 public:
  struct Callbacks {
    /// No other process serves the resource; before its files are written; once.
    std::function<void()> elected;
    /// The kubelet could be told of the resource; once.
    std::function<void()> served;
  };

  /// `work`, for the files, and `plugins` outlive it.
  Offer(loop::EventLoop& loop, loop::BlockingWork& work, serve::PluginHost& plugins,
        std::shared_ptr<specs::UnitFileStore> store,
        std::shared_ptr<observe::ResourceCounters> counters, Callbacks callbacks);
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;
  ~Offer();

  /// What became of the resource; `event_time`: when the event was heard that led to it, if one
  /// did; `at_once`: the kubelet is told before it settles.
  void update(const inventory::ResolvedResource& resource,
              std::optional<loop::Time> event_time = {}, bool at_once = false);
  /// What the kubelet was told last, or will be when the files are written; null: nothing yet.
  [[nodiscard]] const inventory::SnapshotPtr& last_sent() const { return publisher_.sent(); }

  /// The resource is not offered any more: an empty list goes out on every open stream, then these
  /// end, the socket goes, and the files of its units. `withdrawn` is called once, later; nothing
  /// else of it then. The Offer is to be destroyed by then.
  void withdraw(loop::Task withdrawn);

  [[nodiscard]] bool served() const { return plugin_ != nullptr; }
  [[nodiscard]] observe::RegistrationStatus status() const;
  /// How its units were over the last day.
  [[nodiscard]] std::vector<observe::HealthHistory::Span> history() const {
    return history_.spans(loop_.now());
  }

 private:
  void publish(inventory::SnapshotPtr snapshot);
  void elected();
  void serve(inventory::SnapshotPtr snapshot);

  loop::EventLoop& loop_;
  serve::PluginHost& plugins_;
  Callbacks callbacks_;
  inventory::SnapshotPtr last_;
  std::optional<loop::Time> event_time_;  ///< Of what the kubelet is not told yet, the first event.
  ChangeLog change_log_;
  observe::HealthHistory history_;
  UnitFileWriter files_;
  Publisher publisher_;
  bool campaigning_ = false;                       ///< For serving the resource.
  bool elected_ = false;                           ///< … and does.
  inventory::SnapshotPtr newest_;                  ///< That would go out if it did.
  std::unique_ptr<serve::ResourceServer> plugin_;  ///< Null before its first list can be told.
  bool withdrawing_ = false;
  loop::Time since_;  ///< Since when it is there, stands, or leaves.
  loop::Subscription ended_;
};

}  // namespace patchbay::daemon
