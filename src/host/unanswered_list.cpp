#include "host/unanswered_list.h"

#include <utility>

namespace patchbay::host {

void UnansweredList::note(const std::string& name, Silence silence, Unanswered what) {
  if (silence == Silence::none) {
    if (all_.erase(name) == 0) return;
  } else {
    what.waited_for = silence == Silence::waits;
    const auto known = all_.find(name);
    if (known != all_.end() && known->second == what) return;
    all_[name] = std::move(what);
  }
  if (soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] { tell(); });
}

std::optional<Unanswered> UnansweredList::find(const std::string& name) const {
  const auto known = all_.find(name);
  return known == all_.end() ? std::nullopt : std::optional(known->second);
}

void UnansweredList::tell() {
  soon_.reset();
  std::vector<Unanswered> all;
  for (const auto& [name, what] : all_) all.push_back(what);
  tell_(all);
}

}  // namespace patchbay::host
