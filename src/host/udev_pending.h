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

/// Which devices udevd is still busy with. A kernel event makes a device pending whose facts await
/// udev: it is read once udev's twin of the event (the same SEQNUM) or the device's record in
/// udev's database has come; a device with neither, when udevd's queue has ended
/// (host/queue_end.h). Patience ends after a second, or, while udevd has a queue, after half a
/// minute. Without udevd nothing is pending. Pure: time is passed in.
///
/// "Now only newer news counts": what comes late from the slower source is told apart by SEQNUM, so
/// that udev's word on an earlier plug cannot undo a later one.
class UdevPending {
 public:
  static constexpr loop::Milliseconds kUdevTimeout{1000};
  static constexpr loop::Milliseconds kBusyTimeout{30'000};

  explicit UdevPending(bool udevd_runs) : udevd_runs_(udevd_runs) {}

  /// A kernel event other than remove, of a device whose facts await udev. True: read the device
  /// now.
  bool kernel_event(const std::string& key, uint64_t seqnum, loop::Time now);
  /// The same where they do not: it is read now.
  void kernel_event_without_udev(const std::string& key, uint64_t seqnum, loop::Time now);
  /// The device is gone, whatever udev still has to say about its past.
  void kernel_remove(const std::string& key, uint64_t seqnum, loop::Time now);

  /// udev's event, other than remove. True: read the device now.
  bool udev_event(const std::string& key, uint64_t seqnum);
  /// True: the device is gone now.
  bool udev_remove(const std::string& key, uint64_t seqnum);

  /// udev wrote the device's record. True: read the device now.
  bool database_record(const std::string& key);

  /// A scan found the device while udevd was busy, and udev had not seen it yet.
  void defer(const std::string& key, loop::Time now);

  /// udevd came or went. Returns the devices to read now.
  std::vector<std::string> set_udevd(bool runs);
  /// udevd has a queue, or has none. Nothing is read for that yet.
  void set_queue(bool exists) { queue_exists_ = exists; }
  /// udevd was done, at `end`, with all that had come. Returns the devices to read now: those that
  /// were pending by then.
  std::vector<std::string> queue_ended(loop::Time end) { return release_blocked(end); }
  /// Ends patience. Returns the devices to read now, which udev said nothing about.
  std::vector<std::string> expire(loop::Time now);
  /// When expire() has something to do.
  [[nodiscard]] std::optional<loop::Time> next_expiry();

  /// Whether the device is not to be read yet.
  [[nodiscard]] bool blocks(const std::string& key) const;
  /// Whether any is not.
  [[nodiscard]] bool blocks_some() const { return blocked_ > 0; }
  /// Whether a kernel event of the device still awaits its twin.
  [[nodiscard]] bool awaits_udev_event(const std::string& key) const {
    return entries_.contains(key);
  }
  [[nodiscard]] bool udevd_runs() const { return udevd_runs_; }

 private:
  enum class State { blocked, released, removed };
  struct Entry {
    uint64_t seqnum = 0;
    loop::Time since;
    State state = State::released;
    uint64_t stamp = 0;  ///< Tells the newest of its entries in order_.
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
  size_t blocked_ = 0;       ///< Entries of that state.
  std::deque<Order> order_;  ///< By age; those that entries_ has no longer are dropped on the way.
};

}  // namespace patchbay::host
