#include "health/needed_paths.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/result.h"

namespace patchbay::health {
namespace {

using inventory::NeededPath;
using paths::PathState;

std::string type_text(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISREG(mode)) return "a file";
  if (S_ISSOCK(mode)) return "a socket";
  return "something else";
}

/// Whether the path leads to another device than the needed one.
bool is_other_device(const PathState& state, const NeededPath& needed) {
  const auto number = device_number_of(state.mode, state.number);
  return needed.number && number && state.number != 0 && *number != *needed.number;
}

std::string other_device_text(const PathState& state, const NeededPath& needed) {
  const std::string devices =
      fmt::format("{} instead of {}", text_of(*device_number_of(state.mode, state.number)),
                  text_of(*needed.number));
  if (!needed.link) return "leads to another device, " + devices;
  return "leads to another device, " + devices +
         " (two devices have this link): use $(link.by-path)";
}

/// Empty: no fault, or unknown.
std::string fault_of(const PathState& state, const NeededPath& needed) {
  switch (state.kind) {
    case PathState::Kind::unknown:
      return {};
    case PathState::Kind::exists:
      if (!needed.device_node) return {};
      if (!S_ISCHR(state.mode) && !S_ISBLK(state.mode)) {
        return "is " + type_text(state.mode) + ", not a device node";
      }
      return is_other_device(state, needed) ? other_device_text(state, needed) : std::string();
    case PathState::Kind::missing:
      return "does not exist";
    case PathState::Kind::fault:
      return fail_errno("cannot be checked", state.error).error().message;
    case PathState::Kind::unresponsive:
      return "is unresponsive: its file system hangs";
    case PathState::Kind::no_thread:
      return std::string("cannot be checked: ") + kNoThreadText;
  }
  return {};
}

}  // namespace

void NeededPaths::need(const NeededPath& path, PathUser& user) {
  const auto [needed, is_new] = needed_.try_emplace(path);
  needed->second.users.insert(&user);
  if (!is_new) return;
  // The known state may belong to the device that was unplugged, so the path is checked again. A
  // call of drop() would keep it if others follow the path.
  if (is_other_device(follower_.state(path.path), path)) follower_.forget(path.path);
  follower_.follow(path.path, *this);
  // Other users may need the path in another way.
  needed->second.fault = fault_of(follower_.state(path.path), path);
}

NeededPaths::Range NeededPaths::entries_of(const std::string& path) {
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
  if (entries_of(path.path).empty()) follower_.drop(path.path, *this);
}

const std::string& NeededPaths::fault(const NeededPath& path) const {
  static const std::string none;
  const auto needed = needed_.find(path);
  return needed == needed_.end() ? none : needed->second.fault;
}

bool NeededPaths::leads_to_other_device(const NeededPath& path) const {
  const auto needed = needed_.find(path);
  return needed != needed_.end() && needed->second.other_device;
}

void NeededPaths::path_state_changed(const std::string& path, const PathState& state) {
  std::set<PathUser*> affected;
  for (auto& [needed, entry] : entries_of(path)) {
    entry.other_device = is_other_device(state, needed);
    std::string fault = fault_of(state, needed);
    const bool changed = std::exchange(entry.fault, fault) != fault;
    if (changed) affected.insert(entry.users.begin(), entry.users.end());
  }
  for (PathUser* user : affected) user->paths_changed();
}

}  // namespace patchbay::health
