// Tests the response to Allocate for units with CDI devices, and which of these units are refused.
#include "inventory/assemble.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

/// For a resource with the adapters A, B and C.
class CdiTest : public testing::Test {
 protected:
  const Resolution& resolve(const std::string& keys, const Strings& names = {"A", "B", "C"}) {
    inventory_.emplace(plan_of("  - name: a.io/uart\n    match: {subsystem: tty}\n    " + keys));
    for (const std::string& name : names) inventory_->apply(shared(serial(name, name)));
    return inventory_->resolve(kStart);
  }
  std::optional<Inventory> inventory_;
};

TEST_F(CdiTest, DevicesAndMountsAreInjectedByCdiDevice) {
  const auto given =
      allocated(resolve("id: $(name)\n    cdi: write\n    mounts: [{hostPath: /opt/lab}]\n"
                        "    envs: {UART: $(name)}\n"
                        "    annotations: {a.io/unit: $(id)}\n"),
                {"C", "A"});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->cdi_devices, (Strings{"a.io/uart=A", "a.io/uart=C"}));
  EXPECT_TRUE(given->devices.empty());
  EXPECT_TRUE(given->mounts.empty());
  EXPECT_EQ(envs_of(given), Strings{"UART=A,C"});
  EXPECT_EQ(given->annotations.at("a.io/unit"), "A,C");
}

TEST_F(CdiTest, SharesOfUnitAreOneCdiDevice) {
  const auto given = allocated(resolve("id: $(name)\n    cdi: write\n    share: {count: 3}\n"),
                               {"A::2", "A::0", "B::1"});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->cdi_devices, (Strings{"a.io/uart=A", "a.io/uart=B"}));
}

TEST_F(CdiTest, ForeignCdiNamesAreSortedAndUnique) {
  const auto& resolution =
      resolve("id: u$(name)\n    cdi: [\"v.io/gpu=$(name)\", \"v.io/gpu=all\", v.io/gpu=all]\n",
              {"10", "9"});
  const auto given = allocated(resolution, {"u10", "u9"});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->cdi_devices, (Strings{"v.io/gpu=9", "v.io/gpu=10", "v.io/gpu=all"}));
  EXPECT_TRUE(given->devices.empty());
}

TEST_F(CdiTest, ConflictingEntriesOfTwoUnitsFailAllocate) {
  const auto& resolution = resolve(
      "id: $(name)\n    cdi: write\n"
      "    devices: [{hostPath: $(devnode), containerPath: /dev/uart}]\n");
  EXPECT_TRUE(allocated(resolution, {"A"}));
  EXPECT_EQ(allocated(resolution, {"A", "B"}).error().message,
            "unit 'B': two entries at the container path /dev/uart: device /dev/A (rw) and device "
            "/dev/B (rw)");
}

TEST_F(CdiTest, UnitWithoutDevicesOrMountsIsRefused) {
  EXPECT_EQ(refusals(resolve("id: $(name)\n    cdi: write\n    devices: []\n", {"A"})),
            Strings{"0 /sys/devices/usb/A [A]: cdi: write has nothing to write: the unit has no "
                    "device node and no mount"});
}

TEST_F(CdiTest, InvalidCdiDeviceNameIsRefused) {
  EXPECT_EQ(refusals(resolve("id: $(name)_\n    cdi: write\n", {"A"})),
            Strings{"0 /sys/devices/usb/A [A_]: the id 'A_' cannot name a CDI device: it must "
                    "begin and end with a letter or digit"});
}

TEST_F(CdiTest, OptionalEntriesAreInResponseInsteadOfSpec) {
  const std::string optional =
      "id: $(name)\n    cdi: write\n    mounts: [{hostPath: /opt/x, optional: true}]\n"
      "    devices: [{hostPath: /dev/x, optional: true}";
  const auto& only = resolve(optional + "]\n").resources.at(0).snapshot;
  const auto none = allocate(*only, Strings{"A"}, [](const std::string&, bool) { return false; });
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->cdi_devices.empty());
  EXPECT_TRUE(none->devices.empty());
  const auto some = allocated(resolve(optional + "]\n"), {"A"});
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_TRUE(some->cdi_devices.empty());
  EXPECT_EQ(nodes_of(some), Strings{"/dev/x"});
  EXPECT_EQ(some->mounts.size(), 1U);
  const auto both = allocated(resolve(optional + ", $(devnode)]\n"), {"A"});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->cdi_devices, Strings{"a.io/uart=A"});
  EXPECT_EQ(nodes_of(both), Strings{"/dev/x"});
}

TEST_F(CdiTest, GroupsMayDifferInCdiWrite) {
  Inventory inventory(
      plan_of("  - name: a.io/uart\n    id: $(name)\n    groups:\n"
              "      - {match: {subsystem: tty, name: A}, cdi: write}\n"
              "      - {match: {subsystem: tty}}\n"));
  inventory.apply(shared(serial("A", "A")));
  inventory.apply(shared(serial("B", "B")));
  const auto given = allocated(inventory.resolve(kStart), {"A", "B"});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->cdi_devices, Strings{"a.io/uart=A"});
  EXPECT_EQ(nodes_of(given), Strings{"/dev/B"});
}

}  // namespace
}  // namespace patchbay::inventory
