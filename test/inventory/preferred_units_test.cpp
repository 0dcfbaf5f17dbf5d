#include "inventory/preferred_units.h"

#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

/// The snapshot of a resource with these keys and with adapters of these names.
SnapshotPtr adapters(const Strings& names, const std::string& keys = "") {
  Inventory inventory(
      plan_of("  - name: a.io/serial\n    match: {subsystem: tty}\n    id: $(name)\n" + keys));
  inventory.set_online_nodes({0, 1});
  for (const std::string& name : names) {
    DeviceFacts facts = serial(name, {});
    fake::set(facts, Fact::numa_node, {name.substr(0, 1) == "n" ? name.substr(1, 1) : ""});
    inventory.apply(shared(std::move(facts)));
  }
  return inventory.resolve(kStart).resources.at(0).snapshot;
}

TEST(PreferredUnits, ReturnsRequestedNumberInNaturalOrder) {
  const Strings available{"u10", "u2", "u1", "u3"};
  const auto snapshot = adapters(available);
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{}, 2), (Strings{"u1", "u2"}));
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{"u10"}, 2), (Strings{"u1", "u10"}));
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{"u10", "u3", "u3"}, 2),
            (Strings{"u3", "u10"}));
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{}, 9),
            (Strings{"u1", "u2", "u3", "u10"}));
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{"u2", "u3"}, 1), Strings{"u2"});
  EXPECT_TRUE(preferred_units(*snapshot, Strings{}, Strings{}, 3).empty());
}

TEST(PreferredUnits, ConsidersNumaNodes) {
  const Strings available{"n0a", "n1a", "n1b"};
  EXPECT_EQ(preferred_units(*adapters(available), available, Strings{}, 2),
            (Strings{"n1a", "n1b"}));
  EXPECT_EQ(preferred_units(*adapters(available), available, Strings{"n0a"}, 2),
            (Strings{"n0a", "n1a"}));
}

TEST(PreferredUnits, IgnoresUnknownAndUnhealthyIds) {
  Inventory inventory(plan_of("  - {name: a.io/serial, match: {subsystem: tty}, id: $(name)}\n"));
  for (const std::string name : {"a", "b", "c"}) inventory.apply(shared(serial(name, {})));
  inventory.resolve(kStart);
  inventory.remove("/sys/devices/usb/a");
  const auto& snapshot = inventory.resolve(kStart).resources.at(0).snapshot;
  const Strings available{"0", "a", "c", "b::0"};
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{}, 2), Strings{"c"});
  // Ids that the container must have are kept, even if they are unknown or unhealthy.
  EXPECT_EQ(preferred_units(*snapshot, available, Strings{"0"}, 2), (Strings{"0", "c"}));
}

TEST(PreferredUnits, SpreadsSharesOfCountAndPacksSharesOfTotal) {
  const Strings names{"a", "b"};
  // Share 0 of unit a is in use, and no share of unit b.
  const Strings available{"a::1", "a::2", "b::0", "b::1", "b::2"};
  const std::string three = "    share: {count: 3}\n";
  EXPECT_EQ(preferred_units(*adapters(names, three), available, Strings{}, 1), Strings{"b::0"});
  EXPECT_EQ(preferred_units(*adapters(names, three), available, Strings{}, 3),
            (Strings{"a::1", "b::0", "b::1"}));
  const std::string total = "    share: {total: 3, each: 1}\n";
  EXPECT_EQ(preferred_units(*adapters(names, total), available, Strings{}, 2),
            (Strings{"a::1", "a::2"}));
  EXPECT_EQ(preferred_units(*adapters(names, total), available, Strings{}, 3),
            (Strings{"b::0", "b::1", "b::2"}));
  EXPECT_EQ(preferred_units(*adapters(names, total), available, Strings{"b::1"}, 2),
            (Strings{"b::0", "b::1"}));
}

TEST(PreferredUnits, RespectsPerContainerLimit) {
  const Strings names{"a", "b", "c"};
  const Strings available{"a::1", "a::2", "b::0", "b::1", "b::2", "c::0", "c::1", "c::2"};
  const auto one_each = [&](const std::string& more) {
    return adapters(names, "    share: {total: 3, each: 1, perContainer: 1}\n" + more);
  };
  // Like `packed`, but within the limit: first unit a, which is in use, and then another.
  EXPECT_EQ(preferred_units(*one_each(""), available, Strings{}, 1), Strings{"a::1"});
  EXPECT_EQ(preferred_units(*one_each(""), available, Strings{}, 2), (Strings{"a::1", "b::0"}));
  EXPECT_EQ(preferred_units(*one_each("    prefer: spread\n"), available, Strings{}, 2),
            (Strings{"b::0", "c::0"}));
  // Shares that the container must have count towards the limit. If there are too few units, the
  // container gets fewer shares.
  EXPECT_EQ(preferred_units(*one_each(""), available, Strings{"a::0"}, 2),
            (Strings{"a::0", "b::0"}));
  EXPECT_EQ(preferred_units(*one_each(""), available, Strings{}, 4),
            (Strings{"a::1", "b::0", "c::0"}));
  EXPECT_EQ(preferred_units(*one_each(""), Strings{"a::1", "a::2"}, Strings{"a::0"}, 2),
            Strings{"a::0"});
  const auto two_each = adapters(names, "    share: {count: 3, perContainer: 2}\n");
  EXPECT_EQ(preferred_units(*two_each, Strings{"a::0", "a::1", "a::2", "b::0"}, Strings{}, 3),
            (Strings{"a::0", "a::1", "b::0"}));
}

TEST(PreferredUnits, TakesFirstIdsIfSearchIsTooExpensive) {
  const auto snapshot = adapters({"n0a", "n1a"}, "    share: {count: 2000}\n");
  Strings available;
  for (const Unit& unit : snapshot->units) {
    for (size_t share = 0; share < unit.shares; ++share) available.push_back(unit.listed_id(share));
  }
  const auto few = preferred_units(*snapshot, available, Strings{}, 2);
  EXPECT_EQ(few, (Strings{"n0a::0", "n1a::0"}));
  const auto many = preferred_units(*snapshot, available, Strings{}, 600);
  ASSERT_EQ(many.size(), 600U);
  EXPECT_EQ(many.back(), "n0a::599");
  const auto limited = adapters({"n0a", "n1a"}, "    share: {count: 2000, perContainer: 1500}\n");
  EXPECT_EQ(preferred_units(*limited, available, Strings{}, 3000).at(1500), "n1a::0");
}

}  // namespace
}  // namespace patchbay::inventory
