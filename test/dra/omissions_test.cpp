#include "dra/omissions.h"

#include <gtest/gtest.h>

#include "dra/dra_fixture.h"

namespace patchbay::dra {
namespace {

constexpr const char* kUartByName =
    "  - name: lab.example.com/uart\n    match: {subsystem: tty}\n    id: $(name)\n";

TEST(Omissions, AreOneWarningForEachAttribute) {
  DeviceFacts good = adapter("ttyUSB0", "A");
  fake::set(good, Fact::property, "MODEL", {"m"});
  std::vector<DeviceFacts> devices{good};
  for (int i = 1; i < 11; ++i) devices.push_back(adapter("ttyUSB" + std::to_string(i), "A"));
  devices.back() = adapter("ttyUSB10", "a\nb");
  const auto plan = dra_plan(kUartByName, {{"model", "$(property.MODEL)"}, {"one", "1"}});
  const auto warnings = omission_warnings(*snapshots_of(plan, devices).front());
  ASSERT_EQ(warnings.size(), 2);
  EXPECT_EQ(warnings[0].reason,
            "10 units are published without the attribute 'model' ('ttyUSB1': "
            "'$(property.MODEL)' needs $(property.MODEL), which the device does not have): correct "
            "its template, or select by another attribute");
  EXPECT_EQ(warnings[0].count, 10);
  EXPECT_EQ(warnings[0].units, (Strings{"ttyUSB1", "ttyUSB2", "ttyUSB3", "ttyUSB4", "ttyUSB5",
                                        "ttyUSB6", "ttyUSB7", "ttyUSB8"}));
  EXPECT_EQ(
      warnings[1].reason,
      "unit 'ttyUSB10' is published without the attribute 'usbSerial' (\"a\\x0ab\" contains a "
      "control character): correct its template, or select by another attribute");
  EXPECT_EQ(warnings[1].units, Strings{"ttyUSB10"});
}

TEST(Omissions, OfDevicePlugin_AreNone) {
  const auto plan = dra_plan(kUartByName, {{"model", "$(property.MODEL)"}});
  auto snapshot = *snapshots_of(plan, {adapter("ttyUSB0", "A")}).front();
  ASSERT_EQ(omission_warnings(snapshot).size(), 1);
  auto resource = *snapshot.resource;
  resource.serve = config::Serve::device_plugin;
  snapshot.resource = std::make_shared<const rules::ResourcePlan>(resource);
  EXPECT_EQ(omission_warnings(snapshot).size(), 0);
}

}  // namespace
}  // namespace patchbay::dra
