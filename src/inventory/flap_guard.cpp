#include "inventory/flap_guard.h"

#include <fmt/format.h>

#include "base/duration.h"

namespace patchbay::inventory {

void FlapGuard::note(bool healthy, Time now) {
  const bool changed = healthy_ && *healthy_ != healthy;
  healthy_ = healthy;
  // Changes of a damped unit are not visible, so they do not extend the damping.
  if (!changed || damped_until(now)) return;
  changes_.push_back(now);
  if (changes_.size() > plan_.changes) changes_.pop_front();
  if (changes_.size() < plan_.changes || now - changes_.front() > plan_.within) return;
  changes_.clear();
  damped_until_ = now + plan_.hold;
}

std::optional<FlapGuard::Time> FlapGuard::damped_until(Time now) const {
  return damped_until_ && now < *damped_until_ ? damped_until_ : std::nullopt;
}

std::string FlapGuard::reason() const {
  return fmt::format("{} {} within {}: held for {}", plan_.changes,
                     plan_.changes == 1 ? "change" : "changes", duration_text(plan_.within),
                     duration_text(plan_.hold));
}

bool FlapGuard::has_expired(Time now) const {
  return !damped_until(now) && (changes_.empty() || now - changes_.back() > plan_.within);
}

}  // namespace patchbay::inventory
