#include <ostream>

#include "base/text.h"
#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

/// A graphics card with this amount of memory.
DeviceFacts card(const std::string& name, const std::string& memory = "") {
  DeviceFacts facts = usb_child("drm", name, name);
  if (!memory.empty()) fake::set(facts, Fact::attribute, "memory", {memory});
  return facts;
}

const std::string kCard = "  - name: a.io/gpu\n    match: {subsystem: drm}\n    id: $(name)\n";

/// All ids in the list for the kubelet.
Strings listed(const Resolution& resolution, size_t resource = 0) {
  Strings out;
  for (const Unit& unit : resolution.resources.at(resource).snapshot->units) {
    for (size_t share = 0; share < unit.listed(); ++share) out.push_back(unit.listed_id(share));
  }
  return out;
}

class SharesTest : public testing::Test {
 protected:
  void start(const std::string& resources, const std::vector<DeviceFacts>& devices) {
    inventory_.emplace(plan_of(resources));
    for (const DeviceFacts& facts : devices) inventory_->apply(shared(facts));
  }
  const Resolution& resolve() { return inventory_->resolve(kStart); }

  std::optional<Inventory> inventory_;
};

TEST_F(SharesTest, UnitIsListedCountTimes) {
  start(kCard + "    share: {count: 3}\n", {card("card0"), card("card10"), card("card9")});
  EXPECT_EQ(listed(resolve()), (Strings{"card0::0", "card0::1", "card0::2", "card9::0", "card9::1",
                                        "card9::2", "card10::0", "card10::1", "card10::2"}));
  const Snapshot& snapshot = *resolve().resources.at(0).snapshot;
  EXPECT_TRUE(snapshot.find_listed("card9::2"));
  for (const std::string id : {"card9", "card9::3", "card9::01", "card9::", "card9::-1", "card9::x",
                               "::0", "card9::18446744073709551616"}) {
    EXPECT_FALSE(snapshot.find_listed(id)) << id;
  }
}

TEST_F(SharesTest, TotalDividedByEachIsNumberOfShares) {
  start(kCard + "    share: {total: $(attribute.memory), each: 1Gi}\n",
        {card("card0", "17163091968"), card("card1", "0x80000000"), card("card2", "1073741824")});
  EXPECT_EQ(refusals(resolve()), Strings{});
  const Snapshot& snapshot = *resolve().resources.at(0).snapshot;
  EXPECT_EQ(snapshot.find("card0")->shares, 15U);
  EXPECT_EQ(snapshot.find("card1")->shares, 2U);
  EXPECT_EQ(snapshot.find("card2")->shares, 1U);
  EXPECT_EQ(listed(resolve()).back(), "card2::0");
}

TEST_F(SharesTest, TotalAndEachMayBeDeviceValues) {
  start(kCard + "    share: {total: $(attribute.memory)Mi, each: $(attribute.slice:-2)Gi}\n",
        {card("card0", "8192")});
  EXPECT_EQ(resolve().resources.at(0).snapshot->find("card0")->shares, 4U);
}

struct BadShare {
  std::string share;
  std::string memory;
  std::string reason;
};

void PrintTo(const BadShare& c, std::ostream* out) {
  *out << c.share << " where memory is \"" << printable(c.memory) << '"';
}

class BadShareTest : public testing::TestWithParam<BadShare> {};

TEST_P(BadShareTest, RefusesUnitWithReason) {
  const BadShare& c = GetParam();
  Inventory inventory(plan_of(kCard + "    share: {" + c.share + "}\n"));
  inventory.apply(shared(card("card0", c.memory)));
  EXPECT_EQ(refusals(inventory.resolve(kStart)),
            Strings{"0 /sys/devices/card0/card0 [card0]: " + c.reason});
}

const std::string kReplicas = "count: $(attribute.memory)";
const std::string kSized = "total: $(attribute.memory), each: 1Gi";

INSTANTIATE_TEST_SUITE_P(
    Numbers, BadShareTest,
    testing::Values(
        BadShare{kReplicas, "",
                 "'$(attribute.memory)' needs $(attribute.memory), which the device does not have"},
        BadShare{kReplicas, "0",
                 "'$(attribute.memory)' gives \"0\", which is not a number above 0"},
        BadShare{kReplicas, "-4",
                 "'$(attribute.memory)' gives \"-4\", which is not a number above 0"},
        BadShare{kReplicas, "four",
                 "'$(attribute.memory)' gives \"four\", which is not a number above 0"},
        BadShare{kReplicas, "1e3",
                 "'$(attribute.memory)' gives \"1e3\", which is not a number above 0"},
        BadShare{kReplicas, "inf",
                 "'$(attribute.memory)' gives \"inf\", which is not a number above 0"},
        BadShare{kReplicas, "nan",
                 "'$(attribute.memory)' gives \"nan\", which is not a number above 0"},
        BadShare{kReplicas, "4 5",
                 "'$(attribute.memory)' gives \"4 5\", which is not a number above 0"},
        BadShare{kReplicas, "4\n",
                 "'$(attribute.memory)' $(attribute.memory) is \"4\\x0a\", which contains a "
                 "control character"},
        BadShare{kReplicas, "1.5", "'count' is 1.5, which is not a whole number"},
        BadShare{kReplicas, "0.5", "'count' is 0.5, which is not a whole number"},
        BadShare{kReplicas, "100001", "'share' gives 100001 shares; the limit is 43690"},
        BadShare{kReplicas, "43691", "'share' gives 43691 shares; the limit is 43690"},
        BadShare{kReplicas, "100000000000000000000000000",
                 "'share' gives 100000000000000000000000000 shares; the limit is 43690"},
        BadShare{kSized, "1073741823", "'total' is 1073741823, less than 'each', 1Gi"},
        BadShare{kSized, "200Ti", "'share' gives 204800 shares; the limit is 43690"},
        BadShare{kSized, "much",
                 "'$(attribute.memory)' gives \"much\", which is not a number above 0"},
        BadShare{"total: 8Gi, each: $(attribute.memory)", "0",
                 "'$(attribute.memory)' gives \"0\", which is not a number above 0"},
        BadShare{"total: 8Gi, each: $(attribute.memory)", "0.0000001",
                 "'share' gives 85899345920000000 shares; the limit is 43690"}));

TEST_F(SharesTest, IdWithShareNumberRespectsMaxLength) {
  const std::string name(80, 'x');
  start(
      "  - name: a.io/gpu\n    match: {subsystem: drm}\n    id: $(name)\n"
      "    share: {count: 43690}\n",
      {card(name)});
  const Strings ids = listed(resolve());
  ASSERT_EQ(ids.size(), 43690U);
  EXPECT_EQ(ids.front().size(), 59U);
  EXPECT_EQ(ids.back().size(), 63U);
  EXPECT_TRUE(resolve().resources.at(0).snapshot->find_listed(ids.back()));
}

TEST_F(SharesTest, ShortenedIdsStayUnique) {
  const std::string name(60, 'x');  // Short enough for an id, but not with a share number.
  start(kCard + "    share: {count: 2}\n", {card(name + "1"), card(name + "2")});
  EXPECT_EQ(listed(resolve()).size(), 4U);
  EXPECT_EQ(refusals(resolve()), Strings{});
}

TEST_F(SharesTest, ListRespectsMaxUnits) {
  start(kCard + "    share: {count: 20000}\n", {card("card0"), card("card1"), card("card2")});
  EXPECT_EQ(units(resolve()), (Strings{"card0", "card1"}));
  EXPECT_EQ(refusals(resolve()), Strings{"0 /sys/devices/card2/card2 [card2]: the resource has too "
                                         "many units: the limit is 43690"});
}

TEST_F(SharesTest, ContainerGetsSharesOfSeveralUnits) {
  start(kCard +
            "    share: {count: 12}\n"
            "    devices: [{hostPath: $(devnode), containerPath: /dev/gpu$(slot)}]\n"
            "    envs:\n"
            "      CARDS: $(name)\n"
            "      TAKEN: $(shares)\n"
            "      PARTS: $(name).$(share)\n"
            "      PART_$(slot): $(share)\n"
            "      CONSTANT: $(resource)\n",
        {card("card0"), card("card10"), card("card9")});
  const auto given =
      allocated(resolve(), {"card10::11", "card9::3", "card10::2", "card10::0", "card9::3"});
  EXPECT_EQ(envs_of(given), (Strings{"CARDS=card9,card10", "CONSTANT=a.io/gpu",
                                     "PARTS=card9.3,card10.0,card10.2,card10.11", "PART_0=3",
                                     "PART_1=0", "PART_2=2", "PART_3=11", "TAKEN=1,3"}));
  EXPECT_EQ(nodes_of(given), (Strings{"/dev/gpu0", "/dev/gpu1"}));
}

TEST_F(SharesTest, UnknownShareFailsAllocate) {
  start(kCard + "    share: {count: 2}\n", {card("card0")});
  EXPECT_EQ(envs_of(allocated(resolve(), {"card0::2"})),
            Strings{"a.io/gpu has no unit 'card0::2'"});
  EXPECT_EQ(envs_of(allocated(resolve(), {"card0"})), Strings{"a.io/gpu has no unit 'card0'"});
}

TEST_F(SharesTest, ContainerRespectsPerContainerLimit) {
  start(kCard + "    share: {count: 3, perContainer: 2}\n    envs: {CARDS: $(id)/$(shares)}\n",
        {card("card0"), card("card1")});
  EXPECT_EQ(envs_of(allocated(resolve(), {"card0::0", "card0::2", "card1::0", "card0::0"})),
            Strings{"CARDS=card0/2,card1/1"});
  EXPECT_EQ(
      envs_of(allocated(resolve(), {"card1::0", "card0::0", "card0::1", "card0::2"})),
      Strings{"unit 'card0': a container gets at most 2 of its shares (perContainer), not 3"});
}

TEST_F(SharesTest, SharesHaveHealthOfUnit) {
  start(kCard + "    share: {count: 2}\n", {card("card0"), card("card1")});
  resolve();
  inventory_->remove(card("card0").key);
  EXPECT_EQ(units(resolve()), (Strings{"card0: the device is gone", "card1"}));
  EXPECT_EQ(listed(resolve()), (Strings{"card0::0", "card0::1", "card1::0", "card1::1"}));
  EXPECT_EQ(envs_of(allocated(resolve(), {"card0::1"})),
            Strings{"unit 'card0::1' is unhealthy: the device is gone"});
}

TEST_F(SharesTest, EntryRepeatsForEachDeviceAndShare) {
  start(
      "  - name: a.io/x\n"
      "    match: {subsystem: drm}\n"
      "    by: all\n"
      "    size: 1+\n"
      "    share: {count: 3}\n"
      "    devices: []\n"
      "    envs: {X: $(name)/$(share)}\n",
      {card("card0"), card("card1")});
  EXPECT_EQ(envs_of(allocated(resolve(), {"all::2", "all::0"})),
            Strings{"X=card0/0,card0/2,card1/0,card1/2"});
}

TEST_F(SharesTest, ResourceMayMixSharedAndPlainGroups) {
  start(
      "  - name: a.io/gpu\n"
      "    id: $(name)\n"
      "    devices: [{hostPath: $(devnode), containerPath: /dev/gpu$(slot)}]\n"
      "    envs: {ID: $(id)}\n"
      "    groups:\n"
      "      - {match: {subsystem: drm, name: \"*1*\"}, share: {count: 2},"
      " annotations: {part: $(share)}}\n"
      "      - {match: {subsystem: drm}}\n",
      {card("card0"), card("card1"), card("card10"), card("card2")});
  EXPECT_EQ(listed(resolve()),
            (Strings{"card0", "card1::0", "card1::1", "card2", "card10::0", "card10::1"}));
  const auto given = allocated(resolve(), {"card10::1", "card0", "card1::0"});
  EXPECT_EQ(envs_of(given), Strings{"ID=card0,card1,card10"});
  EXPECT_EQ(nodes_of(given), (Strings{"/dev/gpu0", "/dev/gpu1", "/dev/gpu2"}));
  EXPECT_EQ(given->annotations, (std::map<std::string, std::string>{{"part", "0,1"}}));
}

TEST_F(SharesTest, SlotsAreCountedAcrossGroups) {
  start(
      "  - name: a.io/x\n"
      "    groups:\n"
      "      - match: {subsystem: drm}\n"
      "        id: $(name)\n"
      "        devices:\n"
      "          - {hostPath: $(devnode), containerPath: /dev/x$(slot)}\n"
      "          - {hostPath: $(devnode)a, containerPath: /dev/x$(slot)}\n"
      "        envs: {\"X_$(slot)\": $(name), Y_$(slot): $(name)}\n"
      "      - match: {subsystem: tty}\n"
      "        id: $(name)\n"
      "        devices: [{hostPath: $(devnode), containerPath: /dev/x$(slot)}]\n"
      "        envs: {\"X_$(slot)\": $(name)}\n",
      {card("a1"), card("c3"), usb_child("tty", "b2", "")});
  const auto given = allocated(resolve(), {"a1", "b2", "c3"});
  EXPECT_EQ(envs_of(given), (Strings{"X_0=a1", "X_1=b2", "X_2=c3", "Y_0=a1", "Y_1=c3"}));
  ASSERT_TRUE(given);
  EXPECT_EQ(given->devices, (std::vector<AllocatedDevice>{{"/dev/a1", "/dev/x0", "rw"},
                                                          {"/dev/b2", "/dev/x1", "rw"},
                                                          {"/dev/c3", "/dev/x2", "rw"},
                                                          {"/dev/a1a", "/dev/x3", "rw"},
                                                          {"/dev/c3a", "/dev/x4", "rw"}}));
}

const std::string kTwoKinds =
    "  - name: a.io/gpu\n"
    "    id: $(name)\n"
    "    groups:\n"
    "      - {match: {subsystem: drm}, share: {count: 2}}\n"
    "      - {match: {subsystem: tty}}\n";

TEST_F(SharesTest, PlainIdThatEqualsShareIdIsRefused) {
  start(kTwoKinds, {card("x"), usb_child("tty", "x::1", "1"), usb_child("tty", "x::2", "1")});
  EXPECT_EQ(listed(resolve()), (Strings{"x::0", "x::1", "x::2"}));
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/1/x::1 [x::1]: the id 'x::1' is also the id of a share"});
}

TEST_F(SharesTest, IdOfLostUnitAndNewShareIsListedOnce) {
  start(kTwoKinds, {usb_child("tty", "x::1", "1")});
  EXPECT_EQ(listed(resolve()), Strings{"x::1"});
  inventory_->remove(usb_child("tty", "x::1", "1").key);
  inventory_->apply(shared(card("x")));
  EXPECT_EQ(units(resolve()), Strings{"x"});
  EXPECT_EQ(listed(resolve()), (Strings{"x::0", "x::1"}));
  // The same in the opposite order: the lost unit has the shares.
  inventory_->remove(card("x").key);
  inventory_->apply(shared(usb_child("tty", "x::1", "1")));
  EXPECT_EQ(listed(resolve()), Strings{"x::1"});
  EXPECT_EQ(units(resolve()), Strings{"x::1"});
}

TEST_F(SharesTest, DeviceWithIdOfLostUnitDoesNotDisplaceShare) {
  start(kTwoKinds, {usb_child("tty", "x::1", "1")});
  EXPECT_EQ(listed(resolve()), Strings{"x::1"});
  inventory_->remove(usb_child("tty", "x::1", "1").key);
  inventory_->apply(shared(card("x")));
  inventory_->apply(shared(usb_child("tty", "x::1", "2")));
  EXPECT_EQ(listed(resolve()), (Strings{"x::0", "x::1"}));
  EXPECT_EQ(refusals(resolve()),
            Strings{"0 /sys/devices/2/x::1 [x::1]: the id 'x::1' is also the id of a share"});
}

TEST(ShareIds, AreSplitIntoUnitAndNumber) {
  const auto split = [](std::string_view id) {
    const auto share = split_share_id(id);
    return share ? std::string(share->unit) + " " + std::to_string(share->share) : "none";
  };
  EXPECT_EQ(split("a::3"), "a 3");
  EXPECT_EQ(split("a::b::10"), "a::b 10");
  EXPECT_EQ(split("a::0"), "a 0");
  for (const std::string_view id : {"", "a", "12", "a12", "::0", "a::", "a::01", "a::b", "a:1"}) {
    EXPECT_EQ(split(id), "none") << id;
  }
}

TEST(StaticNames, AreUnits) {
  Inventory inventory(
      plan_of("  - name: a.io/scope\n    match: {static: [scope-2, scope-10]}\n"
              "    envs: {SCOPES: $(name):5025}\n"
              "  - {name: a.io/rest, match: {static: [scope-2, spare]}}\n"));
  for (const std::string name : {"scope-10", "scope-2", "spare"}) {
    EXPECT_TRUE(inventory.apply(shared(named(name))));
  }
  EXPECT_FALSE(inventory.apply(shared(named("other"))));
  const Resolution& resolution = inventory.resolve(kStart);
  EXPECT_EQ(units(resolution, 0), (Strings{"scope-2", "scope-10"}));
  EXPECT_EQ(units(resolution, 1), Strings{"spare"});
  EXPECT_EQ(resolution.resources.at(0).snapshot->find("scope-2")->id_source, rules::IdSource::name);
  EXPECT_EQ(refusals(resolution), Strings{"1 static:scope-2 [scope-2]: claimed by a.io/scope"});
  const auto given = allocated(resolution, {"scope-10", "scope-2"});
  EXPECT_EQ(envs_of(given), Strings{"SCOPES=scope-2:5025,scope-10:5025"});
  EXPECT_EQ(nodes_of(given), Strings{});
}

TEST(StaticNames, CanBeGroupedAndShared) {
  Inventory inventory(
      plan_of("  - name: a.io/bench\n    match: {static: [a-1, a-2, b-1]}\n"
              "    by: whole bench\n    size: 1+\n    share: {count: 2}\n"
              "    envs: {NAMES: $(name)}\n"));
  for (const std::string name : {"b-1", "a-2", "a-1"}) inventory.apply(shared(named(name)));
  EXPECT_EQ(listed(inventory.resolve(kStart)), (Strings{"whole_bench::0", "whole_bench::1"}));
  EXPECT_EQ(envs_of(allocated(inventory.last(), {"whole_bench::1"})), Strings{"NAMES=a-1,a-2,b-1"});
}

TEST(FileConditions, SelectDevices) {
  const auto plan = plan_of(
      "  - name: a.io/x\n    id: $(name)\n"
      "    match: {subsystem: drm, file: {/etc/gpus/$(name): \"on*\"}}\n");
  Inventory inventory(plan);
  const auto query = rules::host_query(plan);
  EXPECT_EQ(query->files(card("card0")), Strings{"/etc/gpus/card0"});
  EXPECT_EQ(query->files(usb_child("tty", "card0", "")), Strings{});
  DeviceFacts facts = card("card0");
  EXPECT_FALSE(inventory.apply(shared(facts)));
  fake::set(facts, Fact::file, "/etc/gpus/card0", {"on, and lit"});
  EXPECT_TRUE(inventory.apply(shared(facts)));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"card0"});
  fake::set(facts, Fact::file, "/etc/gpus/card0", {"off"});
  EXPECT_TRUE(inventory.apply(shared(facts)));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"card0: the device no longer matches"});
}

TEST(FileConditions, SelectMembers) {
  Inventory inventory(
      plan_of("  - name: a.io/x\n    match: {subsystem: drm}\n    by: $(usb.socket)\n"
              "    members:\n      key: {match: {subsystem: hidraw, file: {/etc/keys/$(name): "
              "{exists: true}}}}\n"));
  inventory.apply(shared(usb_child("drm", "card0", "1")));
  DeviceFacts key = usb_child("hidraw", "hidraw0", "1");
  inventory.apply(shared(key));
  EXPECT_EQ(refusals(inventory.resolve(kStart)),
            Strings{"0 /sys/devices/1/card0 []: incomplete: needs 1 'key', has none"});
  fake::set(key, Fact::file, "/etc/keys/hidraw0", {"yes"});
  inventory.apply(shared(key));
  EXPECT_EQ(units(inventory.resolve(kStart)), Strings{"1"});
}

}  // namespace
}  // namespace patchbay::inventory
