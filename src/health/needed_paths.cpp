#include "health/needed_paths.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

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

DeviceNumber number_of(const PathSeen& seen) {
  return {.block = S_ISBLK(seen.mode),
          .major = ::gnu_dev_major(seen.number),
          .minor = ::gnu_dev_minor(seen.number)};
}

/// Whether another device is there than the one that the path must lead to.
bool is_other_device(const PathSeen& seen, const NeededPath& needed) {
  return needed.number && seen.number != 0 && number_of(seen) != *needed.number;
}

std::string other_device_text(const PathSeen& seen, const NeededPath& needed) {
  const std::string devices =
      fmt::format("{} instead of {}", text_of(number_of(seen)), text_of(*needed.number));
  if (!needed.link) return "leads to another device, " + devices;
  return "leads to another device, " + devices +
         " (two devices have this link): use $(link.by-path)";
}

/// Empty: it is as it must be, or not known.
std::string fault_of(const PathSeen& seen, const NeededPath& needed) {
  switch (seen.kind) {
    case PathSeen::Kind::unknown:
      return {};
    case PathSeen::Kind::there:
      if (!needed.device_node) return {};
      if (!S_ISCHR(seen.mode) && !S_ISBLK(seen.mode)) {
        return "is " + type_text(seen.mode) + ", not a device node";
      }
      return is_other_device(seen, needed) ? other_device_text(seen, needed) : std::string();
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
  // What was seen before may be of the device that was unplugged: it is checked again. Others may
  // follow the path, too, so that drop() would not discard it.
  if (is_other_device(follower_.seen(path.path), path)) follower_.forget(path.path);
  follower_.follow(path.path, *this);
  // Others may need it in the other way.
  needed->second.fault = fault_of(follower_.seen(path.path), path);
}

NeededPaths::Range NeededPaths::ways_of(const std::string& path) {
  const auto first = needed_.lower_bound({.path = path});
  const auto is_other = [&](const auto& entry) { return entry.first.path != path; };
  return {first, std::find_if(first, needed_.end(), is_other)};
}

void NeededPaths::release(const NeededPath& path, PathUser& user) {
  const auto needed = needed_.find(path);
  if (needed == needed_.end()) return;
  needed->second.users.erase(&user);
  if (!needed->second.users.empty()) return;
  needed_.erase(needed);
  if (ways_of(path.path).empty()) follower_.drop(path.path, *this);
}

const std::string& NeededPaths::fault(const NeededPath& path) const {
  static const std::string none;
  const auto needed = needed_.find(path);
  return needed == needed_.end() ? none : needed->second.fault;
}

bool NeededPaths::leads_elsewhere(const NeededPath& path) const {
  const auto needed = needed_.find(path);
  return needed != needed_.end() && needed->second.elsewhere;
}

void NeededPaths::path_seen(const std::string& path, const PathSeen& seen) {
  std::set<PathUser*> told;
  for (auto& [needed, state] : ways_of(path)) {
    state.elsewhere = is_other_device(seen, needed);
    std::string fault = fault_of(seen, needed);
    const bool changed = std::exchange(state.fault, fault) != fault;
    if (changed) told.insert(state.users.begin(), state.users.end());
  }
  for (PathUser* user : told) user->paths_changed();
}

}  // namespace patchbay::health
