#include "cli/commands/slices_view.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "dra/device_name.h"
#include "dra/dra_fixture.h"

namespace patchbay::cli {
namespace {

using dra::adapter;
using dra::dra_plan;

constexpr const char* kUart =
    "  - {name: lab.example.com/uart, match: {subsystem: tty}, id: $(name)}\n";
constexpr const char* kScope = "  - {name: lab.example.com/scope, match: {static: [left]}}\n";

SlicesView view_of(const rules::PlanPtr& plan, const std::vector<DeviceFacts>& devices) {
  inventory::Inventory inventory(plan);
  for (const DeviceFacts& device : devices) inventory.apply(inventory::shared(device));
  return slices_view(plan->driver, "bench-1", inventory.resolve(inventory::kStart));
}

/// The names of the devices in the text, in order.
std::vector<std::string> names_in(const std::string& yaml) {
  constexpr std::string_view kItem = "    - name: ";
  std::vector<std::string> names;
  for (size_t at = yaml.find(kItem); at != std::string::npos; at = yaml.find(kItem, at + 1)) {
    const size_t begin = at + kItem.size();
    names.push_back(yaml.substr(begin, yaml.find('\n', begin) - begin));
  }
  return names;
}

TEST(SlicesView, IsYaml) {
  const auto plan = dra_plan(
      kUart, {{"serial", "$(usb.serial)"}, {"speed", "480", config::AttributeType::integer}});
  EXPECT_EQ(view_of(plan, {adapter("ttyUSB0", "0403"), adapter("ttyUSB1", "")}).yaml,
            R"(apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {generateName: 00000-patchbay.lab.example.com-bench-1-}
spec:
  driver: patchbay.lab.example.com
  nodeName: bench-1
  pool: {name: bench-1, generation: 1, resourceSliceCount: 1}
  devices:
    - name: uart-ttyusb0-03d4e9b5
      attributes:
        id: {string: ttyUSB0}
        resource: {string: lab.example.com/uart}
        resource.kubernetes.io/pcieRoot: {string: pci0000:00}
        serial: {string: "0403"}
        speed: {int: 480}
        usbProduct: {string: "6001"}
        usbSerial: {string: "0403"}
        usbSocket: {string: 0000:00:14.0-usbv2-2}
        usbVendor: {string: "0403"}
    - name: uart-ttyusb1-03d4e8b5
      attributes:
        id: {string: ttyUSB1}
        resource: {string: lab.example.com/uart}
        resource.kubernetes.io/pcieRoot: {string: pci0000:00}
        speed: {int: 480}
        usbProduct: {string: "6001"}
        usbSocket: {string: 0000:00:14.0-usbv2-2}
        usbVendor: {string: "0403"}
)");
}

TEST(SlicesView, OfNoDevice_IsOneEmptySlice) {
  EXPECT_EQ(view_of(dra_plan(kUart), {}).yaml,
            "apiVersion: resource.k8s.io/v1\n"
            "kind: ResourceSlice\n"
            "metadata: {generateName: 00000-patchbay.lab.example.com-bench-1-}\n"
            "spec:\n"
            "  driver: patchbay.lab.example.com\n"
            "  nodeName: bench-1\n"
            "  pool: {name: bench-1, generation: 1, resourceSliceCount: 1}\n"
            "  devices: []\n");
}

TEST(SlicesView, FollowsConfigurationAndIds) {
  const std::vector<DeviceFacts> devices{adapter("ttyUSB10", "C"), adapter("ttyUSB2", "A"),
                                         inventory::named("left")};
  const std::string scope = dra::device_name("lab.example.com/scope", "left");
  const std::string uart2 = dra::device_name("lab.example.com/uart", "ttyUSB2");
  const std::string uart10 = dra::device_name("lab.example.com/uart", "ttyUSB10");
  EXPECT_EQ(names_in(view_of(dra_plan(std::string(kUart) + kScope), devices).yaml),
            (std::vector{uart2, uart10, scope}));
  EXPECT_EQ(names_in(view_of(dra_plan(std::string(kScope) + kUart), devices).yaml),
            (std::vector{scope, uart2, uart10}));
}

TEST(SlicesView, LeavesOutOtherResourcesAndUnhealthyUnits) {
  auto plan = std::make_shared<rules::Plan>(*dra_plan(std::string(kUart) + kScope));
  auto scope = std::make_shared<rules::ResourcePlan>(*plan->resources[1]);
  scope->serve = config::Serve::device_plugin;
  plan->resources[1] = scope;
  inventory::Inventory inventory(plan);
  inventory.apply(inventory::shared(adapter("ttyUSB0", "A")));
  inventory.apply(inventory::shared(adapter("ttyUSB1", "B")));
  inventory.apply(inventory::shared(inventory::named("left")));
  inventory.resolve(inventory::kStart);
  // The lost unit is unhealthy.
  inventory.remove(adapter("ttyUSB0", "A").key);
  const auto& resolution = inventory.resolve(inventory::kStart + std::chrono::seconds(1));
  ASSERT_EQ(resolution.resources[0].snapshot->units.size(), 2);
  ASSERT_EQ(resolution.resources[1].snapshot->units.size(), 1);
  EXPECT_EQ(names_in(slices_view(plan->driver, "bench-1", resolution).yaml),
            std::vector{dra::device_name("lab.example.com/uart", "ttyUSB1")});
}

TEST(SlicesView, HasADocumentForEachSlice) {
  std::vector<DeviceFacts> devices;
  for (int i = 0; i < 65; ++i) devices.push_back(adapter("ttyUSB" + std::to_string(i), "A"));
  const std::string yaml = view_of(dra_plan(kUart), devices).yaml;
  EXPECT_EQ(names_in(yaml).size(), 65);
  const size_t second = yaml.find("---\n");
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(names_in(yaml.substr(second)).size(), 1);
  EXPECT_NE(yaml.find("00000-patchbay.lab.example.com-bench-1-"), std::string::npos);
  EXPECT_NE(yaml.find("00001-patchbay.lab.example.com-bench-1-", second), std::string::npos);
  EXPECT_NE(yaml.find("resourceSliceCount: 2"), std::string::npos) << yaml;
}

}  // namespace
}  // namespace patchbay::cli
