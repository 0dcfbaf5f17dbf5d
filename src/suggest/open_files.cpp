#include "suggest/open_files.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "suggest/candidates.h"

namespace patchbay::suggest {
namespace {

/// Substrings of the names of containers' control groups.
constexpr std::array<std::string_view, 5> kContainerGroups{"kubepods", "docker", "libpod",
                                                           "containerd", "crio"};

bool is_in_container(const std::string& process, const paths::HostRoot& root) {
  const std::string group = root.read_file(process + "/cgroup").value_or("");
  return std::ranges::any_of(kContainerGroups,
                             [&](std::string_view name) { return group.contains(name); });
}

}  // namespace

std::map<DeviceNumber, std::string> find_open_in_containers(const paths::HostRoot& root) {
  std::map<DeviceNumber, std::string> open;
  if (root.is_recorded()) return open;
  for (const std::string& id : root.names_in("/proc")) {
    if (id.find_first_not_of(kDigits) != std::string::npos) continue;
    const std::string process = "/proc/" + id;
    if (!is_in_container(process, root)) continue;
    const std::string name = root.read_file(process + "/comm").value_or("a program");
    for (const std::string& descriptor : root.names_in(process + "/fd")) {
      // The link shows the path in the container. Other files can be on an unresponsive mount.
      const std::string link = process + "/fd/" + descriptor;
      if (!root.link_target(link).value_or("").starts_with("/dev/")) continue;
      const auto number = number_of(root, link);
      if (number) open.emplace(*number, fmt::format("{} (process {})", printable(name), id));
    }
  }
  return open;
}

}  // namespace patchbay::suggest
