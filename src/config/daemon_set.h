#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml_tree.h"

namespace patchbay::config {

/// The settings that the manifest of a DaemonSet gives the Pods of Patchbay: mounts, privileges and
/// others.
struct DaemonSet {
  struct Mount {
    std::string path;  ///< In the container.
    bool writable = false;
    std::string host_path{};  ///< Empty: not a directory of the host, or unknown.
  };
  std::string name{};
  std::string name_space{};
  std::string container{};
  std::vector<std::string> config_maps{};  ///< Names of the ConfigMaps among its volumes.
  std::vector<Mount> mounts{};
  bool has_volumes = false;  ///< Whether the `host_path` of each mount is known.
  std::vector<std::string> variables{};
  std::vector<std::string> capabilities{};
  std::map<std::string, std::string> arguments{};  ///< The values of the options of `run`.
  bool privileged = false;
  bool host_network = false;
  bool host_pid = false;
  bool has_token = false;  ///< Kubernetes mounts the token of the Pod's service account.
};

/// Reads the manifest of a DaemonSet. Returns nullopt if no container runs `patchbay run`. Such a
/// container has the argument `run`. It also has the program `patchbay`, an image of that name, or
/// a mount of the kubelet's directory of device plugins.
[[nodiscard]] std::optional<DaemonSet> read_daemon_set(const YamlNode& manifest);

}  // namespace patchbay::config
