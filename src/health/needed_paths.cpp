#include "health/needed_paths.h"

#include <sys/stat.h>

#include <utility>

#include "base/result.h"
#include "health/program.h"

namespace patchbay::health {
namespace {

using host::PathSeen;
using inventory::NeededPath;

std::string type_text(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISREG(mode)) return "a file";
  if (S_ISSOCK(mode)) return "a socket";
  return "something else";
}

/// Empty: it is as it must be, or not known.
std::string fault_of(const PathSeen& seen, bool device_node) {
  switch (seen.kind) {
    case PathSeen::Kind::unknown:
      return {};
    case PathSeen::Kind::there:
      if (!device_node || S_ISCHR(seen.mode) || S_ISBLK(seen.mode)) return {};
      return "is " + type_text(seen.mode) + ", not a device node";
    case PathSeen::Kind::missing:
      return "does not exist";
    case PathSeen::Kind::fault:
      return fail_errno("cannot be looked at", seen.error).error().message;
    case PathSeen::Kind::no_answer:
      return no_answer(host::PathFollower::kTimeout);
    case PathSeen::Kind::no_thread:
      return std::string("cannot be looked at: ") + kNoThread;
  }
  return {};
}

}  // namespace

void NeededPaths::need(const NeededPath& path, PathUser& user) {
  const auto [needed, is_new] = needed_.try_emplace(path);
  needed->second.users.insert(&user);
  if (!is_new) return;
  follower_.follow(path.path, *this);
  // Others may need it in the other way.
  needed->second.fault = fault_of(follower_.seen(path.path), path.device_node);
}

void NeededPaths::release(const NeededPath& path, PathUser& user) {
  const auto needed = needed_.find(path);
  if (needed == needed_.end()) return;
  needed->second.users.erase(&user);
  if (!needed->second.users.empty()) return;
  needed_.erase(needed);
  if (!needed_.contains({path.path, !path.device_node})) follower_.drop(path.path, *this);
}

const std::string& NeededPaths::fault(const NeededPath& path) const {
  static const std::string none;
  const auto needed = needed_.find(path);
  return needed == needed_.end() ? none : needed->second.fault;
}

void NeededPaths::path_seen(const std::string& path, const PathSeen& seen) {
  std::set<PathUser*> told;
  for (const bool device_node : {false, true}) {
    const auto needed = needed_.find({path, device_node});
    if (needed == needed_.end()) continue;
    std::string fault = fault_of(seen, device_node);
    const bool changed = std::exchange(needed->second.fault, fault) != fault;
    if (changed) told.insert(needed->second.users.begin(), needed->second.users.end());
  }
  for (PathUser* user : told) user->paths_changed();
}

}  // namespace patchbay::health
