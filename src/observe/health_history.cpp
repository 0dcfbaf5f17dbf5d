#include "observe/health_history.h"

#include <algorithm>

namespace patchbay::observe {
namespace {

size_t place(long piece) { return static_cast<size_t>(piece) % HealthHistory::kPieces; }

HealthHistory::State state_of(size_t units, size_t healthy) {
  using State = HealthHistory::State;
  if (units == 0) return State::none;
  if (healthy == units) return State::healthy;
  return healthy == 0 ? State::bad : State::some;
}

}  // namespace

/// Pieces in which nothing was noted are as what was noted before them.
void HealthHistory::reach(long piece) {
  const long first = std::max(newest_ + 1, piece - static_cast<long>(kPieces) + 1);
  for (long passed = first; passed <= piece; ++passed) worst_.at(place(passed)) = now_;
  newest_ = std::max(newest_, piece);
}

void HealthHistory::note(size_t units, size_t healthy, Time now) {
  const State state = state_of(units, healthy);
  const long piece = piece_of(now);
  if (now_ == State::unknown) {
    first_ = now;
    newest_ = piece;
  } else {
    reach(piece);
  }
  now_ = state;
  State& worst = worst_.at(place(newest_));
  worst = std::max(worst, state);
}

std::vector<HealthHistory::Span> HealthHistory::spans(Time now) const {
  std::vector<Span> spans;
  if (now_ == State::unknown) return spans;
  const long last = std::max(piece_of(now), newest_);
  const long first = std::max(piece_of(first_), last - static_cast<long>(kPieces) + 1);
  for (long piece = first; piece <= last; ++piece) {
    const State state = piece > newest_ ? now_ : worst_.at(place(piece));
    if (!spans.empty() && spans.back().state == state) continue;
    spans.push_back({.from = std::max(first_, Time(piece * kPiece)), .state = state});
  }
  return spans;
}

}  // namespace patchbay::observe
