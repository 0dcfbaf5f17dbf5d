#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "loop/alive.h"
#include "loop/event_loop.h"

namespace patchbay::pods {

/// Allocates that were answered elsewhere, on their way to the loop: the first is told at once, and
/// those that follow it closely are told together, since the loop's thread would else be woken for
/// each, and the kubelet's next call wait for the processor.
class AllocationNotes {
 public:
  struct Note {
    std::string resource;
    std::vector<std::string> devices;
    loop::Time at;  ///< When it was answered.
  };

  static constexpr loop::Milliseconds kGathered{100};
  /// Of so many devices nothing is held back.
  static constexpr size_t kMostHeldBack = 1000;

  /// `tell` is called on the loop thread, in order.
  AllocationNotes(loop::EventLoop& loop, std::function<void(const Note&)> tell);
  AllocationNotes(const AllocationNotes&) = delete;
  AllocationNotes& operator=(const AllocationNotes&) = delete;
  /// Loop thread; what was not told is not told any more. Nobody may add() by then.
  ~AllocationNotes() = default;

  /// Any thread.
  void add(Note note);

 private:
  void tell_all();
  [[nodiscard]] std::vector<Note> take();

  loop::EventLoop& loop_;
  std::function<void(const Note&)> tell_;
  std::mutex mutex_;
  std::vector<Note> notes_;   // Guarded by mutex_, as the next two.
  size_t devices_ = 0;        ///< In these.
  bool comes_ = false;        ///< The loop looks by itself.
  loop::Subscription pause_;  ///< Loop thread.
  loop::Alive<AllocationNotes> alive_{this};
};

}  // namespace patchbay::pods
