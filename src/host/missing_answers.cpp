#include "host/missing_answers.h"

#include <utility>

namespace patchbay::host {
namespace {

std::string name_of_pattern(const std::string& pattern) { return ' ' + pattern; }

}  // namespace

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

MissingAnswers::MissingAnswers(loop::EventLoop& loop, Targets& targets, HostListener& listener)
    : targets_(targets),
      unanswered_(loop, [&listener](const auto& all) { listener.unanswered(all); }),
      retries_(loop) {}

void MissingAnswers::entity_read(const std::string& key, paths::Responsiveness responsiveness,
                                 const ReadProgress::State& now) {
  if (responsiveness == paths::Responsiveness::ok) return answered(key);
  Unanswered what{.what = now.what, .key = key, .facts = now.facts};
  if (!what.facts) what.patterns = targets_.patterns_of(key);
  unanswered_.note(key, responsiveness, std::move(what));
}

void MissingAnswers::entity_refused(const std::string& key, int error,
                                    std::function<void()> again) {
  refused(key, error, std::move(again),
          {.what = key, .patterns = targets_.patterns_of(key), .key = key});
}

void MissingAnswers::pattern_unresponsive(const std::string& pattern, const std::string& directory,
                                          paths::Responsiveness responsiveness) {
  unanswered_.note(name_of_pattern(pattern), responsiveness,
                   {.what = directory, .patterns = {pattern}});
}

void MissingAnswers::pattern_answered(const std::string& pattern, Hints& hints) {
  const std::string name = name_of_pattern(pattern);
  retries_.succeeded(name);
  const auto known = unanswered_.find(name);
  if (!known) return;
  hints.when_caught_up([this, name, known] {
    if (unanswered_.find(name) == known) unanswered_.note(name, paths::Responsiveness::ok, {});
  });
}

void MissingAnswers::pattern_refused(const std::string& pattern, const std::string& directory,
                                     int error, std::function<void()> again) {
  refused(name_of_pattern(pattern), error, std::move(again),
          {.what = directory, .patterns = {pattern}});
}

void MissingAnswers::listing_refused(const std::string& directory,
                                     const std::vector<std::string>& patterns, int error,
                                     std::function<void()> again) {
  refused(directory, error, std::move(again), {.what = directory, .patterns = patterns});
}

void MissingAnswers::answered(const std::string& name) {
  if (unanswered_.empty()) return;
  retries_.succeeded(name);
  unanswered_.note(name, paths::Responsiveness::ok, {});
}

void MissingAnswers::refused(const std::string& name, int error, std::function<void()> again,
                             Unanswered what) {
  const bool waits = retries_.refused(name, error, std::move(again));
  what.refused = true;
  unanswered_.note(name, waits ? paths::Responsiveness::slow : paths::Responsiveness::hung,
                   std::move(what));
}

}  // namespace patchbay::host
