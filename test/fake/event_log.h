#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "fake/patience.h"

namespace patchbay::fake {

/// An ordered log of events that only grows. A test waits for an event and never sleeps.
/// Thread-safe.
template <typename Event>
class EventLog {
 public:
  using Events = std::vector<Event>;

  void add(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }

  [[nodiscard]] Events all() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

  /// The number of events. As a mark, it is the index of the next event.
  [[nodiscard]] size_t size() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
  }

  template <typename Predicate>
  [[nodiscard]] size_t count(Predicate matches) const {
    const std::lock_guard lock(mutex_);
    return static_cast<size_t>(std::ranges::count_if(events_, matches));
  }

  /// Calls `look(events)` under the lock. Unlike all(), it copies nothing.
  template <typename Look>
  [[nodiscard]] auto read(Look look) const {
    const std::lock_guard lock(mutex_);
    return look(events_);
  }

  /// Waits until `holds(events)` is true. Returns false if it is still false after `patience`.
  template <typename Predicate>
  [[nodiscard]] bool wait_until(Predicate holds,
                                std::chrono::milliseconds patience = kPatience) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return std::invoke(holds, events_); });
  }

  /// Waits for the first matching event at or after the mark `from`. Returns null if none comes
  /// within `patience`.
  template <typename Predicate>
  [[nodiscard]] std::optional<Event> wait_for(
      Predicate matches, size_t from = 0, std::chrono::milliseconds patience = kPatience) const {
    std::optional<Event> found;
    size_t next = from;
    const auto look = [&](const Events& events) {
      for (; !found && next < events.size(); ++next) {
        if (std::invoke(matches, events[next])) found = events[next];
      }
      return found.has_value();
    };
    return wait_until(look, patience) ? found : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Events events_;
};

}  // namespace patchbay::fake
