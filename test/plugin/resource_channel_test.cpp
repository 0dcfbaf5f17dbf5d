#include "plugin/resource_channel.h"

#include <gtest/gtest.h>

#include "inventory/inventory_fixture.h"
#include "plugin/plugin_messages.h"

namespace patchbay::plugin {
namespace {

inventory::SnapshotPtr units_of(const std::string& name) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/x, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(inventory::shared(inventory::serial(name, "")));
  return inventory.resolve(inventory::kStart).resources.at(0).snapshot;
}

TEST(SharedList, EncodesOnceForAllStreams) {
  SharedList list;
  const auto snapshot = units_of("ttyUSB0");
  const auto first = list.of(snapshot);
  EXPECT_EQ(*first, encode_list(*snapshot));
  EXPECT_EQ(list.of(snapshot), first);
  EXPECT_EQ(list.of(snapshot), first);
}

TEST(SharedList, EncodesTheGivenSnapshot) {
  SharedList list;
  const auto before = units_of("ttyUSB0");
  const auto after = units_of("ttyUSB1");
  const auto slow = list.of(before);
  const auto newest = list.of(after);
  EXPECT_EQ(*newest, encode_list(*after));
  EXPECT_EQ(*slow, encode_list(*before)) << "who sends it still has it";
  EXPECT_EQ(*list.of(before), *slow);
}

TEST(SharedList, IsFreedWithTheLastReference) {
  SharedList list;
  const auto snapshot = units_of("ttyUSB0");
  const std::weak_ptr<const std::string> sent = list.of(snapshot);
  EXPECT_TRUE(sent.expired());
  EXPECT_EQ(*list.of(snapshot), encode_list(*snapshot));
}

}  // namespace
}  // namespace patchbay::plugin
