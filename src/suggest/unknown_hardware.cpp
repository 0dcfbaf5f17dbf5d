#include "suggest/unknown_hardware.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/lineage.h"
#include "host/facts/sysfs_files.h"

namespace patchbay::suggest {
namespace {

using host::DeviceTree;

struct Hardware {
  std::string key;  ///< Empty: none.
  KindPtr row;      ///< One of owners().

  /// Whether all its nodes are one unit.
  [[nodiscard]] bool is_unit() const { return config::value_of(row->rule, "by") != nullptr; }
};

Hardware find_hardware(const DeviceTree& tree, const std::string& syspath) {
  const auto lineage = host::lineage(tree, syspath);
  for (const KindPtr& row : owners()) {
    for (const auto& [path, subsystem] : lineage) {
      if (row->owner != subsystem) continue;
      const auto uevent = host::read_uevent_file(tree.files, path);
      if (row->devtype.empty() || (uevent && uevent->devtype == row->devtype)) return {path, row};
    }
  }
  return {"", owners().back()};
}

std::string subsystem_of(const DeviceTree& tree, const std::string& syspath) {
  return host::link_name(tree.files, syspath + "/subsystem").value_or("none");
}

/// The kind of hardware with nodes of these subsystems. Its name is that of its driver, if the
/// nodes have several subsystems.
KindPtr kind_of_hardware(const DeviceTree& tree, const Hardware& hardware,
                         const std::set<std::string>& subsystems) {
  const std::string driver = host::link_name(tree.files, hardware.key + "/driver").value_or("");
  const bool by_driver = subsystems.size() > 1 && !driver.empty();
  return unknown_kind(*hardware.row, {subsystems.begin(), subsystems.end()},
                      by_driver ? driver : *subsystems.begin());
}

Error no_node(const DeviceTree& tree, const std::string& syspath) {
  const std::string subsystem = subsystem_of(tree, syspath);
  if (subsystem == "pci" && !host::link_name(tree.files, syspath + "/driver")) {
    return {"no driver is bound to it; bind one, such as vfio-pci"};
  }
  return {fmt::format(
      "it has no device node, and is of no known kind of hardware (subsystem {}); a rule with "
      "sysfs: can mount its directory",
      printable(subsystem))};
}

}  // namespace

std::string hardware_of(const DeviceTree& tree, const std::string& syspath) {
  return find_hardware(tree, syspath).key;
}

Result<KindPtr> make_kind(const Wanted& wanted, std::span<const CandidatePtr> all,
                          const paths::HostRoot& root) {
  if (wanted.key.empty()) return node_kind(wanted.path);
  const DeviceTree tree(root);
  const auto uevent = host::read_uevent_file(tree.files, wanted.key);
  if (!uevent) return fail("the device was removed");
  const Hardware hardware = find_hardware(tree, wanted.key);
  std::set<std::string> subsystems;
  if (!uevent->devnode.empty()) subsystems.insert(subsystem_of(tree, wanted.key));
  const auto is_part = [&](const std::string& device) {
    return hardware.is_unit() && hardware_of(tree, device) == hardware.key;
  };
  for (const auto& [subsystem, devices] : find_unknown(all, root)) {
    if (std::ranges::any_of(devices, is_part)) subsystems.insert(subsystem);
  }
  if (subsystems.empty()) return std::unexpected(no_node(tree, wanted.key));
  KindPtr kind = hardware.is_unit() ? kind_of_hardware(tree, hardware, subsystems)
                                    : unknown_kind(*hardware.row, {*subsystems.begin()},
                                                   *subsystems.begin(), uevent->devtype);
  if (!plan_of(std::span(&kind, 1))) return fail("its name cannot be in a rule");
  return kind;
}

std::vector<KindPtr> make_kinds(std::span<const CandidatePtr> all, const paths::HostRoot& root) {
  const DeviceTree tree(root);
  std::set<std::string> known;
  for (const CandidatePtr& candidate : all) {
    if (is_plain_usb(*candidate)) continue;
    for (const std::string& key : candidate->keys) known.insert(hardware_of(tree, key));
  }
  std::map<std::string, std::pair<Hardware, std::set<std::string>>> unknown;
  for (const auto& [subsystem, devices] : find_unknown(all, root)) {
    for (const std::string& device : devices) {
      Hardware hardware = find_hardware(tree, device);
      // The node of a hub is not for containers.
      if (!hardware.is_unit() || known.contains(hardware.key) || device == hardware.key) continue;
      auto& [owner, subsystems] = unknown[hardware.key];
      owner = std::move(hardware);
      subsystems.insert(subsystem);
    }
  }
  std::vector<KindPtr> kinds;
  std::set<std::pair<KindPtr, std::set<std::string>>> made;
  for (const auto& [key, found] : unknown) {
    const auto& [hardware, subsystems] = found;
    if (!made.emplace(hardware.row, subsystems).second) continue;
    KindPtr kind = kind_of_hardware(tree, hardware, subsystems);
    if (plan_of(std::span(&kind, 1))) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace patchbay::suggest
