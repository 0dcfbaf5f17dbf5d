#include "pods/allocation_notes.h"

#include <utility>

namespace patchbay::pods {

AllocationNotes::AllocationNotes(loop::EventLoop& loop, std::function<void(const Note&)> tell)
    : loop_(loop), tell_(std::move(tell)) {}

void AllocationNotes::add(Note note) {
  {
    const std::lock_guard lock(mutex_);
    devices_ += note.devices.size();
    notes_.push_back(std::move(note));
    if (std::exchange(comes_, true) && devices_ < kMostHeldBack) return;
  }
  loop_.post([tell_here = alive_.guard(&AllocationNotes::tell_all)]() mutable { tell_here(); });
}

std::vector<AllocationNotes::Note> AllocationNotes::take() {
  const std::lock_guard lock(mutex_);
  devices_ = 0;
  auto notes = std::exchange(notes_, {});
  comes_ = !notes.empty();
  return notes;
}

void AllocationNotes::tell_all() {
  const auto notes = take();
  // Those that come in the pause wait for its end; if none does, the next one is told at once.
  pause_.reset();
  if (notes.empty()) return;
  pause_ = loop_.after(kGathered, [this] { tell_all(); });
  for (const Note& note : notes) tell_(note);
}

}  // namespace patchbay::pods
