#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// The directories that container runtimes and Multus read.
inline constexpr std::string_view kCdiDirectory = "/var/run/cdi";
inline constexpr std::string_view kDeviceInfoDirectory = "/var/run/k8s.cni.cncf.io/devinfo/dp";

/// A requirement of a configuration that a Pod does not meet. It is not a mistake: other
/// deployments may meet it.
struct Need {
  enum class Kind : uint8_t {
    mount,         ///< Read access to a path of the host.
    writable,      ///< Write access to a path of the host.
    privileged,    ///< Opening a device node, or writing to a file in /proc.
    net_admin,     ///< Writing to an attribute of a network interface.
    host_network,  ///< Network of the host, for an address or a file.
    host_pid,      ///< Processes of the host, for a file in /proc.
    variable,      ///< Environment variable of the daemon.
    program,       ///< Program that the image does not contain.
    hidden,        ///< Path that the runtime hides, whatever is mounted.
  };
  Kind kind = Kind::mount;
  std::string path{};  ///< Path of the host; empty: the need is no path.
  config::Position at{};
  std::string what{};   ///< Text as written.
  std::string grant{};  ///< Directory to mount, or variable to set. Empty: neither helps.
  std::string hint{};   ///< What to write instead, if this is the solution.
};

}  // namespace patchbay::rules
