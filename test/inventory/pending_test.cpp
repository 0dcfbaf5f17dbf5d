#include "inventory/pending.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "inventory/bench.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "resource: what", of those that are waited for with a "?".
Strings shown(const rules::Plan& plan, const std::vector<Unanswered>& unanswered) {
  Strings out;
  const auto pending = pending_of(plan, unanswered);
  for (size_t resource = 0; resource < pending.size(); ++resource) {
    for (const Pending& one : pending[resource]) {
      out.push_back(plan.resources[resource]->name + ": " + one.what + (one.waited_for ? "?" : ""));
    }
  }
  return out;
}

class PendingTest : public testing::Test {
 protected:
  const rules::PlanPtr plan = plan_of(
      "  - {name: a.io/usb, match: {subsystem: tty, name: \"ttyUSB*\"}, id: $(name)}\n"
      "  - {name: a.io/acm, match: {subsystem: tty, name: \"ttyACM*\"}, id: $(name)}\n"
      "  - {name: a.io/nfs, match: {glob: \"/mnt/*\"}, id: $(name)}\n"
      "  - {name: a.io/both, match: {glob: [\"/mnt/*\", \"/srv/*\"]}, id: $(name)}\n");
};

TEST_F(PendingTest, APatternIsOfTheRulesThatHaveIt) {
  EXPECT_THAT(shown(*plan, {{.what = "/mnt", .patterns = {"/mnt/*"}, .waited_for = true}}),
              ElementsAre("a.io/nfs: /mnt?", "a.io/both: /mnt?"));
  EXPECT_THAT(shown(*plan, {{.what = "/srv", .patterns = {"/srv/*"}}}),
              ElementsAre("a.io/both: /srv"));
  EXPECT_THAT(shown(*plan, {{.what = "/opt", .patterns = {"/opt/*"}}}), IsEmpty());
}

TEST_F(PendingTest, AThingIsOfTheRulesThatItMayMatch) {
  const DeviceFactsPtr usb = shared(serial("ttyUSB0", ""));
  EXPECT_THAT(shown(*plan, {{.what = "attribute", .key = usb->key, .facts = usb}}),
              ElementsAre("a.io/usb: attribute"));
}

TEST_F(PendingTest, AThingOfWhichNothingIsKnownIsOfAllThatMayLookAtIt) {
  EXPECT_THAT(shown(*plan, {{.what = "/mnt/a", .patterns = {"/mnt/*"}, .key = "/mnt/a"}}),
              ElementsAre("a.io/nfs: /mnt/a", "a.io/both: /mnt/a"));
  EXPECT_THAT(shown(*plan, {{.what = "/sys/devices/x", .key = "/sys/devices/x"}}),
              ElementsAre("a.io/usb: /sys/devices/x", "a.io/acm: /sys/devices/x"));
}

TEST_F(PendingTest, TheInventoryTellsWhichResourcesAreWaitedFor) {
  Inventory inventory(plan);
  EXPECT_TRUE(
      inventory.set_unanswered({{.what = "/srv", .patterns = {"/srv/*"}, .waited_for = true}}));
  EXPECT_TRUE(inventory.is_waited_for());
  EXPECT_FALSE(
      inventory.set_unanswered({{.what = "/srv", .patterns = {"/srv/*"}, .waited_for = true}}));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_FALSE(resolution.resources[2].is_waited_for());
  EXPECT_TRUE(resolution.resources[3].is_waited_for());
  EXPECT_TRUE(inventory.set_unanswered({}));
  EXPECT_FALSE(inventory.is_waited_for());
}

TEST_F(PendingTest, ASnapshotTellsWhetherItIsWhole) {
  Inventory inventory(plan);
  const SnapshotPtr before = inventory.resolve(kStart).resources[3].snapshot;
  EXPECT_TRUE(before->whole);
  inventory.set_unanswered({{.what = "/srv", .patterns = {"/srv/*"}}});
  const SnapshotPtr lacking = inventory.resolve(kStart).resources[3].snapshot;
  EXPECT_FALSE(lacking->whole);
  EXPECT_TRUE(inventory.resolve(kStart).resources[2].snapshot->whole);
  EXPECT_EQ(inventory.resolve(kStart).resources[3].snapshot, lacking) << "the same as before";
  inventory.set_unanswered({});
  EXPECT_TRUE(inventory.resolve(kStart).resources[3].snapshot->whole);
}

TEST_F(PendingTest, WhatWasKnownBeforeIsKeptWhileItDoesNotAnswer) {
  Inventory before(plan);
  for (const char* name : {"ttyUSB0", "ttyUSB1"}) before.apply(shared(serial(name, "")));
  before.resolve(kStart);
  Inventory now(plan, &before);
  const DeviceFactsPtr silent = shared(serial("ttyUSB1", ""));
  now.set_unanswered({{.what = "attribute", .key = silent->key, .facts = silent}});
  EXPECT_THAT(now.keep_unanswered(), ElementsAre(silent->key));
  EXPECT_TRUE(now.devices().contains(silent->key));
  EXPECT_EQ(now.devices().size(), 1U) << "the other has gone";
  EXPECT_THAT(now.keep_unanswered(), IsEmpty()) << "known by now";
}

}  // namespace
}  // namespace patchbay::inventory
