#pragma once

#include <cstdint>
#include <string>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Something that a configuration asks of the Pod, and that the one of deploy/patchbay.yaml has
/// not. No mistake: where Patchbay runs otherwise, it may be there.
struct Need {
  enum class Kind : uint8_t {
    mount,         ///< A path of the host is looked at.
    writable,      ///< Something is written there.
    privileged,    ///< A device node is opened, or a file in /proc written.
    net_admin,     ///< An attribute of a network interface is written.
    host_network,  ///< An address, or a file, is of the host's network.
    host_pid,      ///< A file in /proc is of the host's processes.
    variable,      ///< Its own environment is asked for one.
    program,       ///< One is run that the image has not.
    hidden,        ///< A runtime shows another thing there, whatever is mounted.
  };
  Kind kind = Kind::mount;
  config::Position at{};
  std::string what{};   ///< As it is written.
  std::string grant{};  ///< The directory to mount, or the variable. Empty: none helps.
  std::string hint{};   ///< What to write instead, where that is the way out.
};

}  // namespace patchbay::rules
