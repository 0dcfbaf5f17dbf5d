#pragma once

#include <map>
#include <string>

#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::suggest {

/// The device nodes that processes in containers have open, with the process, such as
/// "gpsd (process 812)". Empty on a recorded machine, and without root or the node's processes
/// (hostPID). Blocking.
[[nodiscard]] std::map<DeviceNumber, std::string> find_open_in_containers(
    const paths::HostRoot& root);

}  // namespace patchbay::suggest
