#include "host/unanswered_list.h"

#include <utility>

namespace patchbay::host {

void UnansweredList::note(const std::string& name, paths::Responsiveness responsiveness,
                          Unanswered what) {
  if (responsiveness == paths::Responsiveness::ok) {
    if (all_.erase(name) == 0) return;
  } else {
    what.slow = responsiveness == paths::Responsiveness::slow;
    const auto known = all_.find(name);
    if (known != all_.end() && known->second == what) return;
    all_[name] = std::move(what);
  }
  if (soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] { report(); });
}

std::optional<Unanswered> UnansweredList::find(const std::string& name) const {
  const auto known = all_.find(name);
  return known == all_.end() ? std::nullopt : std::optional(known->second);
}

void UnansweredList::report() {
  soon_.reset();
  std::vector<Unanswered> all;
  for (const auto& [name, what] : all_) all.push_back(what);
  report_(all);
}

}  // namespace patchbay::host
