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
/// Publisher limits the rate, and the Sink sends each list to its consumer.
///
/// To add a kind of consumer besides the kubelet's device plugins:
/// - its SinkKind, and a Sink with PluginSink as the model;
/// - its choice in Daemon::key_of(), and its creation in Daemon::make_offer();
/// - its state in Sink::status(), for the status and the metrics.
namespace patchbay::daemon {

/// Decides when the changes of a resource are sent. The first change is sent at once; further ones
/// within kSettleTime are combined into one. Each message costs the kubelet a checkpoint write
/// (docs/dev/kubelet.md: List of devices). Loop thread.
class Publisher {
 public:
  static constexpr loop::Milliseconds kSettleTime{100};

  Publisher(loop::EventLoop& loop, std::function<void(inventory::SnapshotPtr)> publish)
      : loop_(loop), publish_(std::move(publish)) {}

  /// Takes a snapshot that differs from the last one offered.
  void offer(inventory::SnapshotPtr snapshot) {
    if (settling_) {
      gathered_ = gathered_ ? replacing(*gathered_, std::move(snapshot)) : std::move(snapshot);
      return;
    }
    send(std::move(snapshot));
  }
  /// Sends the waiting snapshot now.
  void flush() {
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }
  /// Sends nothing more.
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

/// The kind of reader of a sink.
enum class SinkKind { plugin };

/// Brings the lists of one resource to one kind of reader, such as the device plugin API of the
/// kubelet. Loop thread.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Sends a snapshot that differs from the one before.
  virtual void publish(inventory::SnapshotPtr snapshot) = 0;

  /// Withdraws the resource: its readers get an empty list, and its files and sockets are removed.
  /// `withdrawn` is called once, later, and no other callback follows. Destroy the sink then.
  virtual void withdraw(loop::Task withdrawn) = 0;

  /// The last list that the readers have; null: they have none. A device of it is in use there
  /// until a list without it is acknowledged.
  [[nodiscard]] virtual inventory::SnapshotPtr acknowledged() const = 0;
  /// Whether readers can get the list.
  [[nodiscard]] virtual bool served() const = 0;
  [[nodiscard]] virtual status::RegistrationStatus status() const = 0;
};

/// Offers one resource through a sink. It owns the state that outlives configurations: the sink and
/// the change log. Loop thread.
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
