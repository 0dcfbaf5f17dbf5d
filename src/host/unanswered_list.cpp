#include "host/unanswered_list.h"

#include <utility>

namespace patchbay::host {
namespace {

std::string name_of_pattern(const std::string& pattern) { return ' ' + pattern; }

}  // namespace

const Unanswered* UnansweredList::of_pattern(const std::string& pattern) const {
  const auto known = all_.find(name_of_pattern(pattern));
  return known == all_.end() ? nullptr : &known->second;
}

void UnansweredList::note_key(const std::string& key, Silence silence, Unanswered what) {
  note(key, silence, std::move(what));
}

void UnansweredList::note_pattern(const std::string& pattern, Silence silence, Unanswered what) {
  note(name_of_pattern(pattern), silence, std::move(what));
}

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

void UnansweredList::tell() {
  soon_.reset();
  std::vector<Unanswered> all;
  for (const auto& [name, what] : all_) all.push_back(what);
  tell_(all);
}

}  // namespace patchbay::host
