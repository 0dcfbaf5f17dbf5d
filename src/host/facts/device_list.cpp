#include "host/facts/device_list.h"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

/// Class and bus directories contain links such as ../../devices/virtual/net/lo. The target is
/// parsed, not resolved.
std::optional<std::string> device_link(const DeviceTree& tree, const std::string& link) {
  const auto stored = tree.files.link_target(link);
  if (!stored) return std::nullopt;
  std::string_view target = *stored;
  while (target.starts_with("../")) target.remove_prefix(3);
  if (!target.starts_with("devices/") || target.find("/../") != std::string_view::npos) {
    return canonical_device(tree, link);
  }
  return tree.sysfs + '/' + std::string(target);
}

/// Far above the kernel's limit.
constexpr int kMostNodes = 65'536;

std::optional<int> parse_number(std::string_view text) {
  const auto number = parse_whole<int>(text);
  return number && *number >= 0 && *number < kMostNodes ? number : std::nullopt;
}

}  // namespace

std::vector<std::string> list_kernel_devices(const DeviceTree& tree,
                                             const std::vector<std::string>& subsystems) {
  std::vector<std::string> found;
  const auto add_all = [&](const std::string& parent, const std::string& below) {
    for (const std::string& subsystem : tree.files.names_in(parent)) {
      if (!covers(subsystems, subsystem)) continue;
      const std::string directory = parent + '/' + subsystem + below;
      for (const std::string& name : tree.files.names_in(directory)) {
        if (auto device = device_link(tree, directory + '/' + name)) {
          found.push_back(*std::move(device));
        }
      }
    }
  };
  add_all(tree.sysfs + "/class", "");
  add_all(tree.sysfs + "/bus", "/devices");
  std::ranges::sort(found);
  const auto repeats = std::ranges::unique(found);
  found.erase(repeats.begin(), repeats.end());
  return found;
}

std::set<int> parse_node_list(std::string_view text) {
  std::set<int> nodes;
  for (const std::string_view range : split(text, ',')) {
    const size_t dash = range.find('-');
    const auto first = parse_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last) return {};
    for (int node = *first; node <= *last; ++node) nodes.insert(node);
  }
  return nodes;
}

std::set<int> read_online_nodes(const DeviceTree& tree) {
  const auto text = tree.files.read_file(tree.top + "/system/node/online");
  return text ? parse_node_list(*text) : std::set<int>{};
}

void DeviceScan::list(const DeviceTree& tree, const std::vector<std::string>& subsystems) {
  const paths::ResourceExhaustion exhaustion;
  nodes_online = read_online_nodes(tree);
  const auto listed = list_kernel_devices(tree, subsystems);
  std::ranges::set_difference(listed, reported, std::back_inserter(unknown));
  std::ranges::set_difference(reported, listed, std::back_inserter(missing));
  exhaustion_errno = exhaustion.error();
}

bool covers(const std::vector<std::string>& subsystems, const std::string& subsystem) {
  return std::ranges::any_of(subsystems, [&](const std::string& pattern) {
    return pattern == "*" || ::fnmatch(pattern.c_str(), subsystem.c_str(), 0) == 0;
  });
}

std::optional<std::string> device_with_number(const DeviceTree& tree, const DeviceNumber& number) {
  return canonical_device(
      tree, fmt::format("{}/dev/{}/{}:{}", tree.sysfs, number.block ? "block" : "char",
                        number.major, number.minor));
}

std::optional<std::string> canonical_device(const DeviceTree& tree, const std::string& link) {
  auto path = tree.files.resolve(link);
  return path && tree.contains(*path) ? path : std::nullopt;
}

}  // namespace patchbay::host
