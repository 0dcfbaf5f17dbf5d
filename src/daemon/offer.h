#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "daemon/change_log.h"
#include "daemon/publisher.h"
#include "daemon/sink.h"
#include "inventory/resolution.h"
#include "loop/event_loop.h"
#include "status/counters.h"
#include "status/registration_status.h"

/// Stage: from the list of a resource to its consumers. Daemon calls update() for each Resolution.
/// Publisher limits the rate, and the Sink sends each list to its consumer.
///
/// To add a kind of consumer besides the kubelet's device plugins:
/// - its SinkKind, and a Sink with PluginSink as the model (daemon/sink.h);
/// - its choice in Daemon::key_of(), and its creation in Daemon::make_offer();
/// - its state in Sink::status(), for the status and the metrics.
namespace patchbay::daemon {

/// Offers one resource through a sink. It owns the state that outlives configurations:
/// the sinks and the change log. Loop thread.
class Offer {
 public:
  Offer(loop::EventLoop& loop, std::unique_ptr<Sink> sink,
        std::shared_ptr<status::ResourceCounters> counters);
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  /// Takes the new state of the resource. `list` is its snapshot, or the snapshot without units
  /// that another resource still has. These follow later, without waiting for
  /// Publisher::kSettleTime. `at_once`: `list` does not wait, either. `edited`: a new plan caused
  /// it.
  void update(const inventory::ResolvedResource& resource, const inventory::SnapshotPtr& list,
              bool at_once = false, bool edited = false);
  // See Sink.
  [[nodiscard]] inventory::SnapshotPtr acknowledged() const { return sink_->acknowledged(); }
  [[nodiscard]] bool served() const { return sink_->served(); }
  [[nodiscard]] status::RegistrationStatus status() const { return sink_->status(); }

  /// Withdraws the resource. `withdrawn` is called once, later. Destroy the Offer then.
  void withdraw(loop::Task withdrawn) {
    publisher_.stop();
    sink_->withdraw(std::move(withdrawn));
  }

  /// See ChangeLog::lost().
  [[nodiscard]] const std::vector<status::LostUnit>& lost() const { return change_log_.lost(); }

 private:
  inventory::SnapshotPtr last_;  ///< Last list given to update().
  ChangeLog change_log_;
  std::unique_ptr<Sink> sink_;
  Publisher publisher_;
  bool edited_ = false;    ///< The next list to send is of a new plan.
  bool withheld_ = false;  ///< Some units of the resource are not in last_.
};

}  // namespace patchbay::daemon
