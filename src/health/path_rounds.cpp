#include "health/path_rounds.h"

#include <utility>

#include "health/pace.h"

namespace patchbay::health {

using inventory::NeededPath;

PathRounds::PathRounds(loop::EventLoop& loop, PathCheck& check, std::function<double()> random,
                       bool once, std::function<void()> on_looked)
    : loop_(loop),
      check_(check),
      random_(std::move(random)),
      once_(once),
      on_looked_(std::move(on_looked)) {}

void PathRounds::need(const NeededPath& path, PathUser& user) {
  const auto [entry, is_new] = entries_.try_emplace(path);
  entry->second.users.insert(&user);
  if (is_new) look(path);
}

void PathRounds::release(const NeededPath& path, PathUser& user) {
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return;
  entry->second.users.erase(&user);
  if (!entry->second.users.empty()) return;
  entries_.erase(entry);
  to_look_at_.erase(path);
  if (entries_.empty()) next_.reset();
}

void PathRounds::look(const NeededPath& path) {
  to_look_at_.insert(path);
  look_soon();
}

const std::string& PathRounds::fault(const NeededPath& path) const {
  static const std::string none;
  const auto entry = entries_.find(path);
  return entry == entries_.end() ? none : entry->second.fault;
}

void PathRounds::look_soon() {
  if (soon_ || !asked_.empty()) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    begin();
  });
}

void PathRounds::look_at_all() {
  for (const auto& [path, entry] : entries_) to_look_at_.insert(to_look_at_.end(), path);
  look_soon();
}

void PathRounds::begin() {
  if (to_look_at_.empty()) return;
  std::set<NeededPath> later;
  for (const NeededPath& path : to_look_at_) {
    // What is wrong is told by path: one that must be a node for some is another job's.
    const bool twice = !asked_.empty() && asked_.rbegin()->path == path.path;
    (twice ? later : asked_).insert(path);
  }
  to_look_at_ = std::move(later);
  began_ = loop_.now();
  run_ = check_.run({asked_.begin(), asked_.end()}, kTimeout,
                    [this](const PathFaults& faults) { done(faults); });
}

void PathRounds::done(const PathFaults& faults) {
  std::set<PathUser*> told;
  for (const NeededPath& path : std::exchange(asked_, {})) {
    const auto entry = entries_.find(path);
    if (entry == entries_.end()) continue;
    const auto found = faults.find(path.path);
    std::string fault = found == faults.end() ? "" : found->second;
    if (std::exchange(entry->second.fault, fault) == fault) continue;
    told.insert(entry->second.users.begin(), entry->second.users.end());
  }
  for (PathUser* user : told) user->paths_changed();
  if (!to_look_at_.empty()) look_soon();
  if (!next_ && !once_ && !entries_.empty()) {
    const loop::Time now = loop_.now();
    next_ = loop_.after(until(next_run(began_, now, kPeriod, random_()), now), [this] {
      next_.reset();
      look_at_all();
    });
  }
  on_looked_();
}

}  // namespace patchbay::health
