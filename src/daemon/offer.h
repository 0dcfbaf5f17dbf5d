#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/change_log.h"
#include "inventory/resolution.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "status/counters.h"
#include "status/registration_status.h"

/// Stage: from the list of a resource to its consumers. Daemon calls update() for each Resolution.
/// Publisher limits the rate of the lists, and the Sink sends each list to its consumer.
///
/// To add a kind of consumer besides the kubelet's device plugins:
/// - Add a SinkKind, and a subclass of Sink. PluginSink is the model.
/// - Let Daemon::key_of() choose the SinkKind, and Daemon::make_offer() create the Sink.
/// - Return the state from Sink::status(), for the status and the metrics.
namespace patchbay::daemon {

/// Decides when the changes of a resource are sent. The first change is sent at once. Further
/// changes within kSettleTime are combined into one message. Each message costs the kubelet a
/// checkpoint write (docs/dev/kubelet.md: List of devices). Loop thread.
class Publisher {
 public:
  static constexpr loop::Milliseconds kSettleTime{100};

  Publisher(loop::EventLoop& loop, std::function<void(inventory::SnapshotPtr)> publish)
      : loop_(loop), publish_(std::move(publish)) {}

  /// Sends a snapshot, which differs from the previous one, at once or after kSettleTime.
  void offer(inventory::SnapshotPtr snapshot) {
    if (settling_) {
      gathered_ = gathered_ ? replacing(*gathered_, std::move(snapshot)) : std::move(snapshot);
      return;
    }
    send(std::move(snapshot));
  }
  /// Sends the waiting snapshot at once, if there is one.
  void flush() {
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }
  /// Discards the waiting snapshot.
  void stop() {
    gathered_.reset();
    settling_.reset();
  }

 private:
  void send(inventory::SnapshotPtr snapshot) {
    settling_ = loop_.after(kSettleTime, [this] { on_settled(); });
    publish_(std::move(snapshot));
  }

  void on_settled() {
    settling_.reset();
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }

  loop::EventLoop& loop_;
  std::function<void(inventory::SnapshotPtr)> publish_;
  inventory::SnapshotPtr gathered_;
  loop::Subscription settling_;
};

/// The kind of a sink's consumer. `plugin`: the kubelet, through the device plugin API. `dra`: the
/// slices of the DRA driver.
enum class SinkKind { plugin, dra };

/// Sends the lists of one resource to one kind of consumer, such as the kubelet. Loop thread.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Sends a snapshot, which differs from the previous one.
  virtual void publish(inventory::SnapshotPtr snapshot) = 0;

  /// Withdraws the resource: the consumer gets an empty list, and files and sockets are removed.
  /// Calls `withdrawn` once after the withdrawal, never within withdraw(). `withdrawn` is the
  /// last callback, and may destroy the sink.
  virtual void withdraw(loop::Task withdrawn) = 0;

  /// The last list that the consumer has, or null if it has no list. The consumer may allocate a
  /// device of this list until it has acknowledged a list without the device.
  [[nodiscard]] virtual inventory::SnapshotPtr acknowledged() const = 0;
  /// Whether a list was made available to the consumer. For the kubelet: this process was elected,
  /// the unit files were written, and the plugin serves the list.
  [[nodiscard]] virtual bool served() const = 0;
  [[nodiscard]] virtual status::RegistrationStatus status() const = 0;
};

/// Offers one resource through a sink. Owns the state that outlives configurations: the sink and
/// the change log. Loop thread.
class Offer {
 public:
  Offer(loop::EventLoop& loop, std::unique_ptr<Sink> sink,
        std::shared_ptr<status::ResourceCounters> counters);
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  /// Takes the new state of the resource, and sends `list` when Publisher decides, or at once if
  /// `at_once` is true. Normally, `list` is the snapshot of `resource`. If a device moved here
  /// from another resource whose acknowledged list still has it, `list` lacks the unit of the
  /// device. If the previous list lacked units and `list` lacks none, `list` is sent at once.
  /// `edited`: a new plan caused the change.
  void update(const inventory::ResolvedResource& resource, const inventory::SnapshotPtr& list,
              bool at_once = false, bool edited = false);
  // See Sink.
  [[nodiscard]] inventory::SnapshotPtr acknowledged() const { return sink_->acknowledged(); }
  [[nodiscard]] bool served() const { return sink_->served(); }
  [[nodiscard]] status::RegistrationStatus status() const { return sink_->status(); }

  /// Withdraws the resource: see Sink. `withdrawn` may destroy the Offer.
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
  bool edited_ = false;    ///< A new plan caused the list that is sent next.
  bool withheld_ = false;  ///< The last list of update() lacked some units of the resource.
};

}  // namespace patchbay::daemon
