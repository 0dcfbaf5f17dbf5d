#include "host/facts/device_list.h"

#include <dirent.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <functional>
#include <iterator>
#include <memory>

#include "host/facts/online_nodes.h"
#include "loop/may_block.h"
#include "paths/host_root.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

constexpr std::string_view kDevices = "/sys/devices/";

/// Calls `visit` with each entry's name. Does nothing if `directory` cannot be read.
void each_entry(const std::string& directory, bool links_only,
                const std::function<void(const std::string&)>& visit) {
  loop::MayBlock::check();
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(directory.c_str()), ::closedir);
  if (!dir) return paths::ResourceExhaustion::record(errno);
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with('.')) continue;
    if (links_only && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) continue;
    visit(name);
  }
}

/// Class and bus directories contain links such as ../../devices/virtual/net/lo. The target is
/// parsed, not resolved.
std::optional<std::string> device_link(const std::string& link) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t size = ::readlink(link.c_str(), buffer.data(), buffer.size());
  if (size <= 0) return std::nullopt;
  std::string_view target(buffer.data(), static_cast<size_t>(size));
  while (target.starts_with("../")) target.remove_prefix(3);
  if (!target.starts_with("devices/") || target.find("/../") != std::string_view::npos) {
    return canonical_device(link);
  }
  return "/sys/" + std::string(target);
}

}  // namespace

std::vector<std::string> list_kernel_devices(const std::vector<std::string>& subsystems) {
  std::vector<std::string> found;
  const auto add_links = [&](const std::string& directory) {
    each_entry(directory, true, [&](const std::string& name) {
      if (auto syspath = device_link(directory + '/' + name)) found.push_back(*std::move(syspath));
    });
  };
  each_entry("/sys/class", false, [&](const std::string& subsystem) {
    if (covers(subsystems, subsystem)) add_links("/sys/class/" + subsystem);
  });
  each_entry("/sys/bus", false, [&](const std::string& subsystem) {
    if (covers(subsystems, subsystem)) add_links("/sys/bus/" + subsystem + "/devices");
  });
  std::ranges::sort(found);
  const auto repeats = std::ranges::unique(found);
  found.erase(repeats.begin(), repeats.end());
  return found;
}

void DeviceScan::list(const std::vector<std::string>& subsystems) {
  const paths::ResourceExhaustion exhaustion;
  nodes_online = read_online_nodes();
  const auto listed = list_kernel_devices(subsystems);
  std::ranges::set_difference(listed, reported, std::back_inserter(unknown));
  std::ranges::set_difference(reported, listed, std::back_inserter(missing));
  exhaustion_errno = exhaustion.error();
}

bool covers(const std::vector<std::string>& subsystems, const std::string& subsystem) {
  return std::ranges::any_of(subsystems, [&](const std::string& pattern) {
    return pattern == "*" || ::fnmatch(pattern.c_str(), subsystem.c_str(), 0) == 0;
  });
}

std::optional<std::string> canonical_device(const std::string& link) {
  auto path = paths::HostRoot().resolve(link);
  return path && path->starts_with(kDevices) ? path : std::nullopt;
}

}  // namespace patchbay::host
