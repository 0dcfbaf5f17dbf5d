#include "render/machine_json.h"

#include <gtest/gtest.h>

#include "status/status_bench.h"

namespace patchbay::render {
namespace {

NodeHardware machine() {
  const std::string card = "/sys/devices/pci0000:00/0000:00:01.0";
  NodeHardware machine;
  machine.devices = {
      {.syspath = card,
       .kind = "pci",
       .name = "0000:00:01.0",
       .label = "network 1af4:1041",
       .driver = "virtio",
       .node = 1},
      {.syspath = card + "/virtio0/net/eth0", .kind = "net", .name = "eth0"},
      {.syspath = "/sys/devices/virtual/mem/null",
       .kind = "mem",
       .name = "null",
       .devnode = "/dev/null",
       .number = DeviceNumber{.block = false, .major = 1, .minor = 3}},
      {.syspath = "/sys/devices/virtual/mem/zero",
       .kind = "mem",
       .name = "zero",
       .devnode = "/dev/zero",
       .number = DeviceNumber{.block = false, .major = 1, .minor = 5}},
  };
  return machine;
}

DeviceFacts path(const std::string& name, std::optional<DeviceNumber> number) {
  DeviceFacts facts;
  facts.kind = DeviceKind::path;
  facts.key = "/srv/" + name;
  facts.name = name;
  facts.number = number;
  facts.found_by = {{"/srv/*", facts.key}};
  return facts;
}

TEST(MachineJson, ContainsDeviceTreeWithUnits) {
  inventory::Inventory inventory(inventory::plan_of(
      "  - {name: a.io/net, match: {subsystem: net}, id: $(name)}\n"
      "  - {name: a.io/path, match: {glob: /srv/*}, id: $(name), envs: {A: b}}\n"));
  DeviceFacts interface;
  interface.key = "/sys/devices/pci0000:00/0000:00:01.0/virtio0/net/eth0";
  interface.name = "eth0";
  interface.subsystem = "net";
  inventory.apply(inventory::shared(interface));
  inventory.apply(inventory::shared(path("n", DeviceNumber{.major = 1, .minor = 3})));
  inventory.apply(inventory::shared(path("<b>", std::nullopt)));
  const Json json = machine_json(status::node_status(inventory, status::registered()), machine());
  EXPECT_EQ(json_text(json), R"({
  "devices": [
    {
      "path": "/sys/devices/pci0000:00/0000:00:01.0",
      "parent": null,
      "kind": "pci",
      "name": "0000:00:01.0",
      "label": "network 1af4:1041",
      "driver": "virtio",
      "devnode": "",
      "numaNode": 1,
      "units": []
    },
    {
      "path": "/sys/devices/pci0000:00/0000:00:01.0/virtio0/net/eth0",
      "parent": 0,
      "kind": "net",
      "name": "eth0",
      "label": "",
      "driver": "",
      "devnode": "",
      "numaNode": null,
      "units": [
        {
          "resource": "a.io/net",
          "unit": "eth0",
          "healthy": true,
          "device": "/sys/devices/pci0000:00/0000:00:01.0/virtio0/net/eth0"
        }
      ]
    },
    {
      "path": "/sys/devices/virtual/mem/null",
      "parent": null,
      "kind": "mem",
      "name": "null",
      "label": "",
      "driver": "",
      "devnode": "/dev/null",
      "numaNode": null,
      "units": [
        {
          "resource": "a.io/path",
          "unit": "n",
          "healthy": true,
          "device": "/srv/n"
        }
      ]
    }
  ],
  "otherUnits": [
    {
      "resource": "a.io/path",
      "unit": "_b_",
      "healthy": true,
      "device": "/srv/<b>"
    }
  ],
  "truncated": false
}
)");
}

}  // namespace
}  // namespace patchbay::render
