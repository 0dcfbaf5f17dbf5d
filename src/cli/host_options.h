#pragma once

#include "cli/options.h"
#include "host/host.h"

namespace patchbay::cli {

[[nodiscard]] inline host::HostOptions host_options(const HostCommandOptions& options, bool watch) {
  return {
      .receive_buffer_bytes = options.udev_buffer_bytes,
      .rescan_period = std::chrono::seconds(options.rescan_seconds),
      .watch = watch,
      .root = options.host_root,
  };
}

}  // namespace patchbay::cli
