#include "inventory/near_miss.h"

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Each near miss as "resource.group: number of candidates, nearest: its failed conditions".
Strings shown(const rules::Plan& plan, const Resolution& resolution,
              const std::vector<DeviceFactsPtr>& devices) {
  Strings out;
  for (const NearMiss& miss : near_misses(plan, resolution, devices)) {
    out.push_back(std::to_string(miss.rule.resource) + "." + std::to_string(miss.rule.group) +
                  ": " + std::to_string(miss.considered) + ", " +
                  (miss.nearest ? miss.nearest->name : "none") + ": " +
                  rules::summary(miss.mismatches));
  }
  return out;
}

TEST(NearMiss, IsDeviceWithFewestFailedConditions) {
  Inventory inventory(
      plan_of("  - name: a.io/uart\n"
              "    match: {subsystem: tty, name: \"ttyACM*\", property: {SERIAL: A7}}\n"
              "    id: $(name)\n"));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_THAT(shown(*inventory.plan(), resolution,
                    {shared(serial("ttyACM1", "")), shared(serial("ttyUSB2", "B")),
                     shared(serial("ttyUSB10", "A7")), shared(usb_child("net", "eth0", "1-1"))}),
              ElementsAre("0.0: 3, ttyACM1: property.SERIAL is absent"));
  // If two candidates are equally near, the first is reported.
  EXPECT_THAT(shown(*inventory.plan(), resolution,
                    {shared(serial("ttyUSB2", "B")), shared(serial("ttyUSB3", "B"))}),
              ElementsAre("0.0: 2, ttyUSB2: name is \"ttyUSB2\", property.SERIAL is \"B\""));
  EXPECT_THAT(shown(*inventory.plan(), resolution, {}), ElementsAre("0.0: 0, none: "));
}

TEST(NearMiss, IsReportedOnlyForEmptyResources) {
  Inventory inventory(
      plan_of("  - {name: a.io/one, match: {subsystem: tty}, id: $(name)}\n"
              "  - {name: a.io/claimed, match: {subsystem: tty}, id: $(name)}\n"
              "  - name: a.io/none\n"
              "    groups:\n"
              "      - {match: {subsystem: net}}\n"
              "      - {match: {glob: /dev/x*}}\n"));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_THAT(shown(*inventory.plan(), resolution, {shared(serial("ttyUSB0", "A"))}),
              ElementsAre("2.0: 0, none: ", "2.1: 0, none: "));
  const rules::Plan unmatched = plan_of_unmatched(*inventory.plan(), resolution);
  ASSERT_EQ(unmatched.resources.size(), 1U);
  EXPECT_EQ(unmatched.resources[0]->name, "a.io/none");
  EXPECT_EQ(unmatched.index.all().size(), 2U);
}

TEST(NearMiss, ExcludesDevicesThatMatchNow) {
  Inventory inventory(plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"));
  EXPECT_THAT(shown(*inventory.plan(), inventory.resolve(kStart), {shared(serial("ttyUSB0", "A"))}),
              ElementsAre("0.0: 1, none: "));
  inventory.apply(shared(serial("ttyUSB0", "A")));
  EXPECT_THAT(shown(*inventory.plan(), inventory.resolve(kStart), {}), IsEmpty());
}

}  // namespace
}  // namespace patchbay::inventory
