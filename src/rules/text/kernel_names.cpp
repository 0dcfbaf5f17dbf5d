#include "rules/text/kernel_names.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace patchbay::rules {
namespace {

struct NodesOf {
  std::string_view subsystem;
  std::string_view of_nodes;
};
constexpr std::array kNodesOf{NodesOf{"i2c", "i2c-dev"},  NodesOf{"spi", "spidev"},
                              NodesOf{"hid", "hidraw"},   NodesOf{"usb-serial", "tty"},
                              NodesOf{"scsi", "block"},   NodesOf{"scsi_host", "block"},
                              NodesOf{"serio", "input"},  NodesOf{"infiniband", "infiniband_verbs"},
                              NodesOf{"ieee80211", "net"}};

constexpr std::string_view kKernelDirectories =
    "/dev /dev/dri /dev/snd /dev/input /dev/bus /dev/bus/usb /dev/vfio /dev/infiniband /dev/net "
    "/dev/serial /dev/serial/by-id /dev/serial/by-path /dev/disk /dev/disk/by-id /dev/disk/by-path "
    "/dev/disk/by-uuid /dev/disk/by-label /dev/v4l /dev/v4l/by-id /dev/v4l/by-path /dev/block "
    "/dev/char /dev/mapper /dev/pts /dev/shm /dev/hugepages /dev/cpu /dev/dma_heap";

}  // namespace

std::string_view subsystem_of_nodes(std::string_view subsystem) {
  const auto* const found = std::ranges::find(kNodesOf, subsystem, &NodesOf::subsystem);
  return found == kNodesOf.end() ? std::string_view{} : found->of_nodes;
}

bool is_known_directory(std::string_view path) { return contains_word(kKernelDirectories, path); }

}  // namespace patchbay::rules
