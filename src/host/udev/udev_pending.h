#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Tracks the devices that udevd is still processing, so that they are read only after udev's rules
/// ran. A kernel event makes a device pending if its facts depend on udev. The device is read when
/// udev's event with this SEQNUM arrives, or when udevd writes the device's record to its database.
/// Otherwise it is read when udevd's queue has ended (UdevSettleDetector), or after a timeout.
///
/// The timeout is kUdevTimeout, or kBusyTimeout while udevd has a queue. Without udevd nothing is
/// pending. udev's events with an older SEQNUM than the kernel's last event are ignored: they
/// belong to an earlier plug of the device. Pure: time is passed in.
class UdevPending {
 public:
  static constexpr loop::Milliseconds kUdevTimeout{1000};
  static constexpr loop::Milliseconds kBusyTimeout{30'000};

  explicit UdevPending(bool udevd_runs) : udevd_runs_(udevd_runs) {}

  /// Records a kernel event other than remove, for a device whose facts depend on udev. Returns
  /// whether to read the device now.
  bool kernel_event(const std::string& key, uint64_t seqnum, loop::Time now);
  /// Records a kernel event other than remove, for a device that is read at once because its facts
  /// do not depend on udev.
  void kernel_event_without_udev(const std::string& key, uint64_t seqnum, loop::Time now);
  /// Records the kernel's remove event. Later udev events up to this SEQNUM are ignored.
  void kernel_remove(const std::string& key, uint64_t seqnum, loop::Time now);

  /// Records an event of udev other than remove. Returns whether to read the device now.
  bool udev_event(const std::string& key, uint64_t seqnum);
  /// Records udev's remove event. Returns whether the device is gone.
  bool udev_remove(const std::string& key, uint64_t seqnum);

  /// Records that udev wrote the device's record. Returns whether to read the device now.
  bool database_record(const std::string& key);

  /// Makes a device pending, because a scan found the device before the busy udevd has processed
  /// it.
  void defer(const std::string& key, loop::Time now);

  /// Records that udevd started or exited. Returns the devices to read now.
  std::vector<std::string> set_udevd(bool runs);
  /// Records whether udevd has a queue. This affects the timeout, and releases no device.
  void set_queue(bool exists) { queue_exists_ = exists; }
  /// Records that udevd has processed all events received before `end`. Returns the devices to read
  /// now: those pending since before `end`.
  std::vector<std::string> queue_ended(loop::Time end) { return release_blocked(end); }
  /// Applies the timeout. Returns the devices to read now, although udev reported nothing about
  /// them.
  std::vector<std::string> expire(loop::Time now);
  /// When to call expire() next. Null if no timeout is running.
  [[nodiscard]] std::optional<loop::Time> next_expiry();

  /// Whether the device must not be read yet.
  [[nodiscard]] bool blocks(const std::string& key) const;
  /// Whether any device must not be read yet.
  [[nodiscard]] bool blocks_some() const { return blocked_ > 0; }
  /// Whether udev's event is still missing for a kernel event of the device.
  [[nodiscard]] bool awaits_udev_event(const std::string& key) const {
    return entries_.contains(key);
  }
  /// Whether udevd runs and has a queue of events.
  [[nodiscard]] bool udevd_is_busy() const { return udevd_runs_ && queue_exists_; }

 private:
  enum class State { blocked, released, removed };
  struct Entry {
    uint64_t seqnum = 0;
    loop::Time since;
    State state = State::released;
    uint64_t stamp = 0;  ///< Identifies the newest entry of this key in order_.
  };
  struct Order {
    std::string key;
    uint64_t stamp = 0;
  };

  using Entries = std::map<std::string, Entry, std::less<>>;

  void enter(const std::string& key, uint64_t seqnum, State state, loop::Time now);
  void release(Entry& entry);
  void erase(Entries::iterator entry);
  std::vector<std::string> release_blocked(loop::Time by);
  void drop_outdated();
  [[nodiscard]] loop::Milliseconds timeout() const {
    return queue_exists_ ? kBusyTimeout : kUdevTimeout;
  }
  [[nodiscard]] const Entry& oldest() const { return entries_.at(order_.front().key); }

  bool udevd_runs_;
  bool queue_exists_ = false;
  uint64_t next_stamp_ = 0;
  Entries entries_;
  size_t blocked_ = 0;       ///< Number of blocked entries.
  std::deque<Order> order_;  ///< By age. Outdated entries are dropped lazily.
};

}  // namespace patchbay::host
