#include "host/unresponsive_reads.h"

#include <utility>

namespace patchbay::host {
namespace {

std::string name_of_pattern(const std::string& pattern) { return ' ' + pattern; }

}  // namespace

void UnresponsiveList::note(const std::string& name, paths::Responsiveness responsiveness,
                            Unresponsive what) {
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

std::optional<Unresponsive> UnresponsiveList::find(const std::string& name) const {
  const auto known = all_.find(name);
  return known == all_.end() ? std::nullopt : std::optional(known->second);
}

void UnresponsiveList::report() {
  soon_.reset();
  std::vector<Unresponsive> all;
  for (const auto& [name, what] : all_) all.push_back(what);
  report_(all);
}

UnresponsiveReads::UnresponsiveReads(loop::EventLoop& loop, Targets& targets,
                                     HostListener& listener)
    : targets_(targets),
      list_(loop, [&listener](const auto& all) { listener.unresponsive(all); }),
      retries_(loop) {}

void UnresponsiveReads::entity_read(const std::string& key, paths::Responsiveness responsiveness,
                                    const ReadProgress::State& now) {
  if (responsiveness == paths::Responsiveness::ok) return answered(key);
  Unresponsive what{.what = now.what, .key = key, .facts = now.facts};
  if (!what.facts) what.patterns = targets_.patterns_of(key);
  list_.note(key, responsiveness, std::move(what));
}

void UnresponsiveReads::entity_refused(const std::string& key, int error,
                                       std::function<void()> again) {
  refused(key, error, std::move(again),
          {.what = key, .patterns = targets_.patterns_of(key), .key = key});
}

void UnresponsiveReads::pattern_unresponsive(const std::string& pattern,
                                             const std::string& directory,
                                             paths::Responsiveness responsiveness) {
  list_.note(name_of_pattern(pattern), responsiveness, {.what = directory, .patterns = {pattern}});
}

void UnresponsiveReads::pattern_answered(const std::string& pattern, Hints& hints) {
  const std::string name = name_of_pattern(pattern);
  retries_.succeeded(name);
  const auto known = list_.find(name);
  if (!known) return;
  hints.when_caught_up([this, name, known] {
    if (list_.find(name) == known) list_.note(name, paths::Responsiveness::ok, {});
  });
}

void UnresponsiveReads::pattern_refused(const std::string& pattern, const std::string& directory,
                                        int error, std::function<void()> again) {
  refused(name_of_pattern(pattern), error, std::move(again),
          {.what = directory, .patterns = {pattern}});
}

void UnresponsiveReads::listing_refused(const std::string& directory,
                                        const std::vector<std::string>& patterns, int error,
                                        std::function<void()> again) {
  refused(directory, error, std::move(again), {.what = directory, .patterns = patterns});
}

void UnresponsiveReads::answered(const std::string& name) {
  if (list_.empty()) return;
  retries_.succeeded(name);
  list_.note(name, paths::Responsiveness::ok, {});
}

void UnresponsiveReads::refused(const std::string& name, int error, std::function<void()> again,
                                Unresponsive what) {
  const bool waits = retries_.refused(name, error, std::move(again));
  what.refused = true;
  list_.note(name, waits ? paths::Responsiveness::slow : paths::Responsiveness::unresponsive,
             std::move(what));
}

}  // namespace patchbay::host
