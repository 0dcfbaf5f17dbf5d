#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// The directories that container runtimes and Multus read.
inline constexpr std::string_view kCdiDirectory = "/var/run/cdi";
inline constexpr std::string_view kDeviceInfoDirectory = "/var/run/k8s.cni.cncf.io/devinfo/dp";

/// The kubelet's default root, and its directories for `serve: dra`.
inline constexpr std::string_view kKubeletRoot = "/var/lib/kubelet";
inline constexpr std::string_view kPluginsRegistry = "/var/lib/kubelet/plugins_registry";
inline constexpr std::string_view kDriverDirectory = "/var/lib/kubelet/plugins/patchbay";
inline constexpr std::string_view kPodResourcesDirectory = "/var/lib/kubelet/pod-resources";

/// A requirement of a configuration for the Pod of the daemon. An unmet need is not a mistake of
/// the configuration, because other deployments may meet the need.
struct Need {
  enum class Kind : uint8_t {
    mount,         ///< Read access to a path of the host.
    writable,      ///< Write access to a path of the host.
    privileged,    ///< Privileges to open a device node, or to write to a file in /proc.
    net_admin,     ///< The capability to write to an attribute of a network interface.
    host_network,  ///< The network of the host, for an address or a file.
    host_pid,      ///< The processes of the host, for a file in /proc.
    variable,      ///< An environment variable of the daemon.
    program,       ///< A program that the image does not contain.
    hidden,        ///< A path that the container runtime hides in unprivileged containers.
    token,         ///< The token of a service account, for the API server.
  };
  Kind kind = Kind::mount;
  std::string path{};  ///< The path of the host. Empty: the need has no path.
  config::Position at{};
  std::string what{};   ///< The text in the configuration, as written.
  std::string grant{};  ///< Directory to mount, or variable to set. Empty: neither helps.
  std::string hint{};   ///< What to change instead. Empty: nothing.
};

}  // namespace patchbay::rules
