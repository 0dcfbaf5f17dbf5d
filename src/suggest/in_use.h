#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"
#include "model/facts.h"
#include "paths/host_root.h"
#include "suggest/candidates.h"
#include "suggest/device_values.h"

namespace patchbay::suggest {

/// Finds out whether the node or another container uses a device of a unit. A container should not
/// get such a unit. The node uses disks with content, network interfaces with a route, consoles,
/// keyboards and mice. For other kinds, kinds.yaml can have a reason. The mounts and routes of a
/// recorded machine are known only if its machine file has them. Blocking.
class UseCheck {
 public:
  /// `reader` must read the same root. It outlives this object.
  UseCheck(const paths::HostRoot& root, DeviceReader& reader);

  /// Whether the mounts, swap space and routes of the node are known. False in a container without
  /// the node's processes (hostPID).
  [[nodiscard]] bool sees_node() const { return sees_node_; }

  /// Returns why a container should not get the unit, such as "sda1 contains a file system (ext4)".
  /// Null if no reason is known. Also checks the devices below those of the unit.
  [[nodiscard]] std::optional<std::string> reason(const Candidate& candidate);

 private:
  [[nodiscard]] std::optional<std::string> find_reason(const Candidate& candidate) const;
  [[nodiscard]] std::optional<std::string> reason_of_disk(const std::string& syspath) const;
  [[nodiscard]] std::optional<std::string> reason_of_interface(const std::string& syspath) const;
  [[nodiscard]] std::optional<std::string> reason_of_input(const std::string& syspath) const;
  [[nodiscard]] bool is_mounted(const std::string& syspath, const std::string& devnode) const;

  DeviceReader& reader_;
  std::map<const Candidate*, std::optional<std::string>> reasons_;  ///< Cached results.
  host::DeviceTree tree_;
  // Syspaths, by the use of the devices.
  std::vector<std::string> disks_;
  std::vector<std::string> interfaces_;
  std::vector<std::string> consoles_;
  std::vector<std::string> inputs_;
  std::set<std::string> mounted_;      ///< Numbers ("8:1") and nodes of mounted disks.
  std::set<std::string> swaps_;        ///< Nodes with swap space.
  std::set<std::string> route_names_;  ///< Interfaces with a route.
  std::map<DeviceNumber, std::string> container_users_;
  bool sees_node_ = false;
};

}  // namespace patchbay::suggest
