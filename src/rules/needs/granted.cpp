#include "rules/needs/granted.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace patchbay::rules {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// In the image, /var/run is a link.
std::string resolved(std::string_view path) {
  constexpr std::string_view kLink = "/var/run";
  return is_within(path, kLink) ? "/run" + std::string(path.substr(kLink.size()))
                                : std::string(path);
}

bool covers(const config::DaemonSet::Mount& mount, std::string_view path, bool to_write) {
  return is_within(resolved(path), resolved(mount.path)) && (mount.writable || !to_write);
}

/// Whether the directory moves with the kubelet's root.
bool is_of_kubelet(std::string_view path) {
  return path == kPluginsRegistry || path == kDriverDirectory || path == kPodResourcesDirectory;
}

/// The path of such a directory, which is the same in the Pod and on the host.
std::string path_of_kubelet(const config::DaemonSet& daemons, std::string_view path) {
  const auto socket = daemons.arguments.find("--pod-resources");
  if (path == kPodResourcesDirectory && socket != daemons.arguments.end()) {
    return socket->second.substr(0, socket->second.rfind('/'));
  }
  const auto root = daemons.arguments.find("--kubelet-root");
  if (root == daemons.arguments.end()) return std::string(path);
  return root->second + std::string(path.substr(kKubeletRoot.size()));
}

/// Whether the Pods have that path of the host. A mount of another directory does not count.
bool has_host_path(const config::DaemonSet& daemons, std::string_view path, bool to_write) {
  const std::string in_pod = resolved(path_in_pod(daemons, path));
  // A directory with an option may be another one of the host, too.
  if (!daemons.has_volumes || !option_of(path).empty() || is_of_kubelet(path)) {
    return has_mount(daemons, in_pod, to_write);
  }
  return std::ranges::any_of(daemons.mounts, [&](const config::DaemonSet::Mount& mount) {
    if (mount.host_path.empty() || !covers(mount, in_pod, to_write)) return false;
    const std::string host = mount.host_path == "/" ? "" : mount.host_path;
    return resolved(host + in_pod.substr(resolved(mount.path).size())) == resolved(path);
  });
}

bool has_variable(const config::DaemonSet& daemons, std::string_view name) {
  // The last ones are set by runtimes and the kubelet in each container.
  return contains(daemons.variables, name) || name == "PATH" || name == "HOSTNAME" ||
         name == "HOME" || name.starts_with("KUBERNETES_");
}

}  // namespace

const config::DaemonSet& manifest_daemon_set() {
  static const config::DaemonSet daemons{
      .name = "patchbay",
      .name_space = "patchbay",
      .container = "patchbay",
      .mounts = {{"/dev"},
                 {"/etc/patchbay"},
                 {"/run/patchbay", true},
                 {"/run/udev"},
                 {"/sys"},
                 {"/var/lib/kubelet/device-plugins", true},
                 {"/var/lib/kubelet/pod-resources"}},
      .variables = {"NODE_NAME", "POD_IP", "POD_NAME", "POD_NAMESPACE"}};
  return daemons;
}

std::string_view option_of(std::string_view directory) {
  if (directory == kCdiDirectory) return "--cdi-dir";
  return directory == kDeviceInfoDirectory ? "--device-info-dir" : "";
}

std::string path_in_pod(const config::DaemonSet& daemons, std::string_view path) {
  if (is_of_kubelet(path)) return path_of_kubelet(daemons, path);
  const std::string_view option = option_of(path);
  const auto given = daemons.arguments.find(option.empty() ? "--host-root" : std::string(option));
  if (given == daemons.arguments.end() || given->second == "/") return std::string(path);
  return option.empty() ? given->second + std::string(path) : given->second;
}

bool has_mount(const config::DaemonSet& daemons, std::string_view path, bool to_write) {
  return std::ranges::any_of(daemons.mounts, [&](const config::DaemonSet::Mount& mount) {
    return covers(mount, path, to_write);
  });
}

bool meets(const config::DaemonSet& daemons, const Need& need) {
  switch (need.kind) {
    case Need::Kind::mount:
    case Need::Kind::writable: {
      const bool to_write = need.kind == Need::Kind::writable;
      return has_host_path(daemons, need.path, to_write) ||
             (!need.grant.empty() && has_host_path(daemons, need.grant, to_write));
    }
    case Need::Kind::privileged:
      return daemons.privileged;
    case Need::Kind::net_admin:
      return daemons.privileged || contains(daemons.capabilities, "NET_ADMIN") ||
             contains(daemons.capabilities, "ALL");
    case Need::Kind::host_network:
      return daemons.host_network;
    case Need::Kind::host_pid:
      return daemons.host_pid;
    case Need::Kind::variable:
      return has_variable(daemons, need.grant);
    case Need::Kind::program:
      return need.path == "/usr/local/bin/patchbay" || has_mount(daemons, need.path, false);
    case Need::Kind::hidden:
      return daemons.privileged && has_mount(daemons, need.path, false);
    case Need::Kind::token:
      return daemons.has_token || daemons.arguments.contains("--api-token-file");
  }
  return false;
}

bool is_within(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace patchbay::rules
