#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"
#include "machine/machine.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::machine {

struct Recording {
  Machine machine;
  std::vector<std::string> left_out;  ///< Attributes and devices, with the reason; sorted.
};

/// Records all devices of the kernel, and the nodes and links in /dev that belong to none. It reads
/// text attributes whose values do not change by themselves. After an attribute that does not
/// answer within loop::kHungAfter, the rest of its device is left out. A device is left out if one
/// of its names cannot be printed. Blocking.
[[nodiscard]] Recording record_devices(const host::DeviceTree& tree);

/// Adds facts of these entities that record_devices() leaves out: paths that globs found, files,
/// and attributes that change. Blocking.
void add_entities(const std::vector<DeviceFactsPtr>& entities, const host::DeviceTree& tree,
                  Machine& machine);

/// Adds the values of an attribute of a device, whose name may have wildcards. Blocking.
void add_attributes(const DeviceFacts& device, const std::string& name,
                    const host::DeviceTree& tree, Machine& machine);

/// Adds those paths of the host that exist and that no device makes. Blocking.
void add_host_paths(const std::set<std::string>& paths, const paths::HostRoot& root,
                    Machine& machine);

/// Adds a file of the host with its content, if it can be read. Blocking.
void add_file_content(const std::string& path, const paths::HostRoot& root, Machine& machine);

/// Adds the facts for `when`. Blocking.
void add_node_facts(const NodeFacts& facts, const paths::HostRoot& root, Machine& machine);

}  // namespace patchbay::machine
