#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml_tree.h"

namespace patchbay::config {

/// A DaemonSet that runs Patchbay: the access of its Pods to the host, as its manifest says.
struct DaemonSet {
  struct Mount {
    std::string path;  ///< In the container.
    bool writable = false;
    std::string host_path{};  ///< Empty: not of the host, or unknown.
  };
  std::string name{};
  std::string name_space{};
  std::string container{};
  std::vector<std::string> config_maps{};  ///< Names of the ConfigMaps among its volumes.
  std::vector<Mount> mounts{};
  bool has_volumes = false;  ///< A mount without `host_path` is no directory of the host.
  std::vector<std::string> variables{};
  std::vector<std::string> capabilities{};
  std::map<std::string, std::string> arguments{};  ///< Options of `run` with a value.
  bool privileged = false;
  bool host_network = false;
  bool host_pid = false;
};

/// Reads the manifest of a DaemonSet. Null: no container of it runs `patchbay run`. Such a
/// container has this program, this name of the image, or the kubelet's directory of device
/// plugins.
[[nodiscard]] std::optional<DaemonSet> read_daemon_set(const YamlNode& manifest);

}  // namespace patchbay::config
