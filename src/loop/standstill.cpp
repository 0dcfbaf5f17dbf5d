#include "loop/standstill.h"

#include <algorithm>
#include <utility>

namespace patchbay::loop {
namespace {

Milliseconds between(Time begin, Time end) {
  return std::chrono::duration_cast<Milliseconds>(end - begin);
}

}  // namespace

std::vector<Standstill::Change> Standstill::look(Time now, std::span<const Turns::Seen> threads) {
  std::vector<Change> changes;
  std::map<pid_t, Turns::Seen> before = std::exchange(standing_, {});
  next_.reset();
  for (const Turns::Seen& seen : threads) {
    if (seen.doing == nullptr) continue;
    const bool stands = between(seen.since, now) >= Turns::kLong;
    // One that stands is looked at again, as its end is told, too.
    const Time again = (stands ? now : seen.since) + Turns::kLong;
    next_ = next_ ? std::min(*next_, again) : again;
    if (!stands) continue;
    const auto known = before.find(seen.id);
    if (known != before.end() && known->second.since == seen.since) {
      before.erase(known);
    } else {
      changes.push_back({.stands = true, .seen = seen, .lasted = between(seen.since, now)});
    }
    standing_[seen.id] = seen;
  }
  std::vector<Change> all;
  for (const auto& [id, seen] : before) {
    all.push_back({.stands = false, .seen = seen, .lasted = between(seen.since, now)});
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

}  // namespace patchbay::loop
