#include "host/missing_answers.h"

#include <utility>

#include "host/facts/device_list.h"
#include "host/sysfs_source.h"

namespace patchbay::host {
namespace {

std::string name_of_pattern(const std::string& pattern) { return ' ' + pattern; }

}  // namespace

MissingAnswers::MissingAnswers(loop::EventLoop& loop, Callbacks callbacks)
    : callbacks_(std::move(callbacks)), unanswered_(loop, callbacks_.report), retries_(loop) {}

void MissingAnswers::entity_read(const std::string& key, paths::Responsiveness responsiveness,
                                 const ReadProgress::State& now) {
  if (responsiveness == paths::Responsiveness::ok) return answered(key);
  Unanswered what{.what = now.what, .key = key, .facts = now.facts};
  if (!what.facts) what.patterns = callbacks_.patterns_of(key);
  unanswered_.note(key, responsiveness, std::move(what));
}

void MissingAnswers::entity_refused(const std::string& key, int error) {
  refused(key, error, [this, key] { callbacks_.read_again(key); },
          {.what = key, .patterns = callbacks_.patterns_of(key), .key = key});
}

void MissingAnswers::pattern(const std::string& pattern, const std::string& directory,
                             paths::Responsiveness responsiveness) {
  const std::string name = name_of_pattern(pattern);
  if (responsiveness != paths::Responsiveness::ok) {
    return unanswered_.note(name, responsiveness, {.what = directory, .patterns = {pattern}});
  }
  retries_.succeeded(name);
  const auto known = unanswered_.find(name);
  if (!known) return;
  // The matches of the pattern are read first.
  callbacks_.when_caught_up([this, name, known] {
    if (unanswered_.find(name) == known) unanswered_.note(name, paths::Responsiveness::ok, {});
  });
}

void MissingAnswers::listing_refused(const std::string& directory,
                                     const std::vector<std::string>& patterns, int error,
                                     std::function<void()> again) {
  const bool of_glob = directory != kSysfs && directory != kDeviceTree;
  refused(of_glob ? name_of_pattern(patterns.front()) : directory, error, std::move(again),
          {.what = directory, .patterns = patterns});
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
