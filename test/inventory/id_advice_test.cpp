#include "inventory/id_advice.h"

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

DeviceFactsPtr at(const std::string& syspath, const std::string& serial_number = {}) {
  DeviceFacts facts = serial(syspath.substr(syspath.rfind('/') + 1), serial_number);
  facts.key = "/sys/devices/" + syspath;
  return shared(facts);
}

const std::string kHub = "pci0000:00/0000:00:14.0/usb1/1-3/";

Strings reasons(const std::string& rest, const std::vector<DeviceFactsPtr>& devices) {
  Inventory inventory(plan_of("  - {name: a.io/uart, match: {subsystem: tty}" + rest + "}\n"));
  for (const auto& device : devices) inventory.apply(device);
  Strings out;
  for (const Refusal& refusal : all_refusals(inventory.resolve(kStart)))
    out.push_back(refusal.reason);
  return out;
}

TEST(IdAdvice, EqualSerialsSuggestSocket) {
  const std::string first = "/sys/devices/" + kHub + "1-3.1/1-3.1:1.0/ttyUSB0";
  const std::string second = "/sys/devices/" + kHub + "1-3.2/1-3.2:1.0/ttyUSB1";
  const std::string advice = "; $(usb.socket) differs between them: add it to the id";
  EXPECT_EQ(
      reasons(", id: $(property.SERIAL)", {at(first.substr(13), "1"), at(second.substr(13), "1")}),
      (Strings{"the id '1' is also the id of " + second + advice,
               "the id '1' is also the id of " + first + advice}));
}

TEST(IdAdvice, InterfacesOfOnePortGetNoAdvice) {
  const std::string port = kHub + "1-3.1/";
  const std::string first = port + "1-3.1:1.0/ttyUSB0";
  const std::string second = port + "1-3.1:1.1/ttyUSB1";
  EXPECT_EQ(reasons(", id: $(property.SERIAL)", {at(first, "1"), at(second, "1")}),
            (Strings{"the id '1' is also the id of /sys/devices/" + second,
                     "the id '1' is also the id of /sys/devices/" + first}));
}

/// The two devices may be the USB 2 and USB 3 sides of one hub, in one socket.
TEST(IdAdvice, TwoBusesOfOneControllerSuggestBy) {
  const auto first = at("pci0000:00/0000:00:14.0/usb1/1-3", "1");
  const auto second = at("pci0000:00/0000:00:14.0/usb2/2-1", "1");
  const auto elsewhere = at("pci0000:00/0000:00:1d.0/usb3/3-1", "1");
  const std::string id = ", id: $(property.SERIAL)";
  for (const std::string& reason : reasons(id, {first, second})) {
    EXPECT_TRUE(reason.ends_with("; if they are one USB 3 hub, write by: $(usb.socket)")) << reason;
  }
  for (const std::string& reason : reasons(id, {first, elsewhere})) {
    EXPECT_TRUE(reason.ends_with("; $(usb.socket) differs between them: add it to the id"))
        << reason;
  }
}

TEST(IdAdvice, PciFunctionsSuggestPciAddress) {
  const std::string bridge = "pci0000:00/0000:00:1c.0/0000:03:00.";
  const auto first = at(bridge + "0/net/eth0");
  const auto second = at(bridge + "1/net/eth1");
  EXPECT_EQ(distinguishing_variable(std::vector{first.get(), second.get()}), "pci.address");
  EXPECT_EQ(distinguishing_variable(std::vector{first.get(), first.get()}), "");
}

TEST(IdAdvice, PathsSuggestNameIfValidId) {
  const auto path = [](const std::string& name) { return shared(found("/srv/*", "/srv/" + name)); };
  EXPECT_EQ(distinguishing_variable(std::vector{path("a").get(), path("b").get()}), "name");
  EXPECT_EQ(distinguishing_variable(std::vector{path("a+b").get(), path("a=b").get()}), "");
}

TEST(IdAdvice, EqualDefaultIdsSuggestName) {
  const auto second_lun = [](const std::string& name) {
    DeviceFacts facts = serial(name, "");
    facts.key = "/sys/devices/pci0000:00/0000:00:05.0/host3/" + name;
    fake::set(facts, Fact::pci, "address", {"0000:00:05.0"});
    return shared(facts);
  };
  EXPECT_THAT(reasons("", {second_lun("sg0"), second_lun("sg1")}),
              testing::Each(testing::EndsWith("; only their names differ, which can change at a "
                                              "reboot: write id: $(name)")));
}

TEST(IdAdvice, AbsentValueSuggestsFallback) {
  const std::string path = kHub + "1-3.1/1-3.1:1.0/ttyUSB0";
  EXPECT_EQ(reasons(", id: uart-$(property.SERIAL)", {at(path)}),
            Strings{"'uart-$(property.SERIAL)' needs $(property.SERIAL), which the device does not "
                    "have; write $(property.SERIAL:-$(usb.socket))"});
  // No fallback is suggested for a virtual device, because it has no socket.
  EXPECT_EQ(reasons(", id: $(property.SERIAL)", {at("virtual/tty/tty7")}),
            Strings{"'$(property.SERIAL)' needs $(property.SERIAL), which the device does not "
                    "have"});
}

}  // namespace
}  // namespace patchbay::inventory
