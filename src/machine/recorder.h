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

/// Records all kernel devices, and the other device nodes and links in /dev. It reads attributes
/// that are text and do not change by themselves. If the read of an attribute takes longer than
/// loop::kHungAfter, the rest of the device is left out. Devices with unprintable paths are left
/// out. Blocking.
[[nodiscard]] Recording record_devices(const host::DeviceTree& tree);

/// Adds facts of these entities that record_devices() does not record: paths found by `glob:`
/// patterns, files, and attributes that change. Blocking.
void add_entities(const std::vector<DeviceFactsPtr>& entities, const host::DeviceTree& tree,
                  Machine& machine);

/// Adds the values of an attribute of a device. `name` can have wildcards. Blocking.
void add_attributes(const DeviceFacts& device, const std::string& name,
                    const host::DeviceTree& tree, Machine& machine);

/// Adds the `paths` that exist on the host, except device nodes and links of recorded devices.
/// Blocking.
void add_host_paths(const std::set<std::string>& paths, const paths::HostRoot& root,
                    Machine& machine);

/// Adds a file of the host with its content, if it can be read. Blocking.
void add_file_content(const std::string& path, const paths::HostRoot& root, Machine& machine);

/// Adds the facts of the node that `when` compares. Blocking.
void add_node_facts(const NodeFacts& facts, const paths::HostRoot& root, Machine& machine);

}  // namespace patchbay::machine
