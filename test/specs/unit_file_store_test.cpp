#include "specs/unit_file_store.h"

#include <filesystem>

#include "fake/facts.h"
#include "fake/temp_dir.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::specs {
namespace {

/// A network interface of a PCI function, with a device node.
DeviceFacts interface(const std::string& name) {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0000:00/0000:00:01.0/net/" + name;
  facts.name = name;
  facts.subsystem = "net";
  facts.devnode = "/dev/" + name;
  fake::set(facts, Fact::pci, "address", {"0000:00:01.0"});
  return facts;
}

class UnitFileStoreTest : public testing::Test {
 protected:
  UnitFileStoreTest()
      : inventory_(inventory::plan_of("  - name: a.io/nic\n    match: {subsystem: net}\n"
                                      "    id: $(name)\n    cdi: write\n    deviceInfo: pci\n")) {
    inventory_.apply(inventory::shared(interface("eth0")));
    inventory_.apply(inventory::shared(interface("eth1")));
  }
  const inventory::Snapshot& snapshot() {
    return *inventory_.resolve(inventory::kStart).resources.at(0).snapshot;
  }
  void unplug(const std::string& name) { inventory_.remove(interface(name).key); }
  [[nodiscard]] inventory::Strings files() const {
    inventory::Strings files;
    for (const std::string directory : {"cdi", "info"}) {
      std::error_code none;
      for (const auto& entry : std::filesystem::directory_iterator(dir_ / directory, none)) {
        files.push_back(directory + '/' + entry.path().filename().string());
      }
    }
    std::ranges::sort(files);
    return files;
  }
  fake::TempDir dir_;
  const UnitFileLocations locations_{
      .cdi_directory = dir_ / "cdi", .device_info_directory = dir_ / "info", .root = {}};
  UnitFileStore store_{locations_};
  CurrentPath at_;
  inventory::Inventory inventory_;
};

const std::string kCdi = "cdi/patchbay-a.io_nic.json";
const std::string kEth0 = "info/a.io-nic-eth0-device.json";
const std::string kEth1 = "info/a.io-nic-eth1-device.json";

TEST_F(UnitFileStoreTest, WritesAndRemovesFilesWithTheirUnits) {
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), (inventory::Strings{kCdi, kEth0, kEth1}));
  unplug("eth0");
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), (inventory::Strings{kCdi, kEth1}));
  unplug("eth1");
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), inventory::Strings{});
}

TEST_F(UnitFileStoreTest, KeepsFilesWrittenBeforeFailure) {
  dir_.write("info", "in the way");
  EXPECT_FALSE(store_.write(snapshot(), at_));
  ASSERT_EQ(files(), inventory::Strings{kCdi});
  const auto removed = store_.remove_old(at_);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(*removed, 0U);
  EXPECT_EQ(files(), inventory::Strings{kCdi});
}

TEST_F(UnitFileStoreTest, RemovesFilesOfEarlierRunsOnly) {
  ASSERT_TRUE(UnitFileStore(locations_).write(snapshot(), at_));
  unplug("eth0");
  dir_.write("cdi/patchbay-a.io_old.json", "{}");
  dir_.write("cdi/nvidia.com-gpu.json", "{}");
  dir_.write("cdi/patchbay-claim.json", "{}");
  dir_.write("info/a.io-nic-eth9-device.json", "{}");
  store_.expect({inventory_.resolve(inventory::kStart).resources.at(0).snapshot});
  store_.set_sole_writer();
  ASSERT_TRUE(store_.write(snapshot(), at_));
  const auto removed = store_.remove_old(at_);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(*removed, 2U);
  EXPECT_EQ(files(), (inventory::Strings{"cdi/nvidia.com-gpu.json", kCdi, "cdi/patchbay-claim.json",
                                         kEth1, "info/a.io-nic-eth9-device.json"}));
}

TEST_F(UnitFileStoreTest, FirstWriteRemovesFilesOfEarlierRuns) {
  ASSERT_TRUE(UnitFileStore(locations_).write(snapshot(), at_));
  dir_.write("cdi/patchbay-a.io_old.json", "{}");
  dir_.write("info/spec.patchbay-killed.tmp", "{");
  store_.expect({});
  store_.set_sole_writer();
  unplug("eth0");
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), (inventory::Strings{kCdi, kEth1}));
  EXPECT_EQ(store_.remove_old(at_).value_or(0), 5U);
  // After the first removal, the store searches no more files.
  dir_.write("cdi/patchbay-a.io_old.json", "{}");
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(store_.remove_old(at_).value_or(0), 5U);
  EXPECT_EQ(files(), (inventory::Strings{kCdi, "cdi/patchbay-a.io_old.json", kEth1}));
}

TEST_F(UnitFileStoreTest, KeepsFilesOfAnotherWriter) {
  dir_.write("cdi/patchbay-a.io_its.json", "{}");
  store_.expect({});
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), (inventory::Strings{"cdi/patchbay-a.io_its.json", kCdi, kEth0, kEth1}));
}

TEST_F(UnitFileStoreTest, KeepsExpectedFilesUntilTheFirstWrite) {
  ASSERT_TRUE(UnitFileStore(locations_).write(snapshot(), at_));
  unplug("eth0");
  store_.expect({inventory_.resolve(inventory::kStart).resources.at(0).snapshot});
  EXPECT_EQ(store_.remove_old(at_).value_or(0), 1U);
  EXPECT_EQ(files(), (inventory::Strings{kCdi, kEth1}));
  // The first write removes the file of a unit that is gone.
  unplug("eth1");
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), inventory::Strings{});
}

/// A new instance finds files of an earlier one while the paths of their units are unresponsive.
TEST_F(UnitFileStoreTest, KeepsFilesOfUnitsThatMayExist) {
  ASSERT_TRUE(UnitFileStore(locations_).write(snapshot(), at_));
  dir_.write("cdi/patchbay-a.io_old.json", "{}");
  unplug("eth0");
  unplug("eth1");
  inventory_.set_unresponsive({{.what = "/sys/class/net"}});
  const inventory::Strings all{kCdi, kEth0, kEth1};
  store_.expect({inventory_.resolve(inventory::kStart).resources.at(0).snapshot});
  store_.set_sole_writer();
  // Another resource, which waits for no path, has written its first files.
  EXPECT_EQ(store_.remove_old(at_).value_or(0), 1U);
  EXPECT_EQ(files(), all);
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), all);
  inventory_.apply(inventory::shared(interface("eth1")));
  inventory_.set_unresponsive({});
  ASSERT_TRUE(store_.write(snapshot(), at_));
  EXPECT_EQ(files(), (inventory::Strings{kCdi, kEth1}));
}

/// The names of the files of a.io/nic-x begin like those of a.io/nic.
TEST_F(UnitFileStoreTest, DistinguishesFilesOfOtherResources) {
  const std::string other = "info/a.io-nic-x-eth5-device.json";
  inventory::Inventory both(inventory::plan_of(
      "  - {name: a.io/nic, match: {subsystem: net, name: eth1}, id: $(name), deviceInfo: pci}\n"
      "  - {name: a.io/nic-x, match: {subsystem: net, name: eth5}, id: $(name), deviceInfo: "
      "pci}\n"));
  both.apply(inventory::shared(interface("eth5")));
  both.apply(inventory::shared(interface("eth1")));
  both.resolve(inventory::kStart);
  const auto& resources = both.resolve(inventory::kStart).resources;
  ASSERT_TRUE(UnitFileStore(locations_).write(*resources.at(1).snapshot, at_));
  ASSERT_EQ(files(), inventory::Strings{other});
  const auto silent = inventory::shared(interface("eth1"));
  both.set_unresponsive({{.what = "an attribute", .key = silent->key, .facts = silent}});
  store_.set_sole_writer();
  store_.expect({both.resolve(inventory::kStart).resources.at(0).snapshot});
  ASSERT_TRUE(store_.write(*both.resolve(inventory::kStart).resources.at(0).snapshot, at_));
  ASSERT_TRUE(store_.write(*both.resolve(inventory::kStart).resources.at(1).snapshot, at_));
  both.set_unresponsive({});
  ASSERT_TRUE(store_.write(*both.resolve(inventory::kStart).resources.at(0).snapshot, at_));
  EXPECT_EQ(files(), (inventory::Strings{kEth1, other}));
}

TEST_F(UnitFileStoreTest, ExitRemovesDeviceInfoAndKeepsCdiSpecs) {
  ASSERT_TRUE(store_.write(snapshot(), at_));
  store_.remove_device_infos();
  EXPECT_EQ(files(), inventory::Strings{kCdi});
}

}  // namespace
}  // namespace patchbay::specs
