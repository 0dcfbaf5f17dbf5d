#include "daemon/unit_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fake/manual_loop.h"
#include "fake/temp_dir.h"
#include "inventory/bench.h"

namespace patchbay::daemon {
namespace {

using inventory::Strings;

/// Resources a.io/cdi, whose units are the adapters, and a.io/plain, which writes nothing.
class UnitFilesTest : public testing::Test {
 protected:
  UnitFilesTest()
      : inventory_(inventory::plan_of(
            "  - {name: a.io/cdi, match: {subsystem: tty}, id: $(name), cdi: write}\n"
            "  - {name: a.io/plain, match: {static: [scope]}}\n")) {
    inventory_.apply(inventory::shared(inventory::named("scope")));
  }

  inventory::SnapshotPtr with(const std::string& adapter) {
    inventory_.apply(inventory::shared(inventory::serial(adapter, "S")));
    return inventory_.resolve(inventory::kStart).snapshots.at(0);
  }
  void start() {
    files_.start(inventory_.resolve(inventory::kStart).snapshots,
                 [this](const UnitFiles::Snapshots& first) {
                   for (const auto& snapshot : first) note(*snapshot);
                 });
  }
  /// Notes the units, and those in the file at that moment.
  void note(const inventory::Snapshot& snapshot) {
    std::string line = snapshot.resource->name + ':';
    for (const auto& unit : snapshot.units) line += ' ' + unit.id;
    if (snapshot.resource == 0) line += " |" + in_file();
    said_.push_back(line);
  }
  [[nodiscard]] std::string in_file() const {
    std::ifstream in(spec_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::string ids;
    const std::string key = "\"name\": \"";
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const size_t begin = at + key.size();
      ids += ' ' + text.substr(begin, text.find('"', begin) - begin);
    }
    return ids;
  }
  /// What was said since the last time.
  Strings said() { return std::exchange(said_, {}); }

  fake::TempDir dir_;
  const std::string spec_ = dir_ / "cdi/patchbay-a.io_cdi.json";
  fake::ManualLoop loop_;
  inventory::Inventory inventory_;
  Strings said_;
  UnitFiles files_{
      loop_,
      {.cdi_directory = dir_ / "cdi", .device_info_directory = dir_ / "info", .root = {}},
      [this](const inventory::SnapshotPtr& snapshot) { note(*snapshot); }};
};

TEST_F(UnitFilesTest, AreWrittenBeforeAListGoesOn) {
  with("A");
  start();
  EXPECT_EQ(said(), Strings{});
  loop_.run_ready();
  EXPECT_EQ(said(), (Strings{"a.io/cdi: A | A", "a.io/plain: scope"}));
  files_.publish(with("B"));
  EXPECT_EQ(said(), Strings{});
  loop_.run_ready();
  EXPECT_EQ(said(), Strings{"a.io/cdi: A B | A B"});
}

TEST_F(UnitFilesTest, DoNotHoldUpWhatWritesNone) {
  start();
  loop_.run_ready();
  said();
  files_.publish(inventory_.resolve(inventory::kStart).snapshots.at(1));
  EXPECT_EQ(said(), Strings{"a.io/plain: scope"});
}

TEST_F(UnitFilesTest, OfTheNewestListAreWrittenLast) {
  start();
  files_.publish(with("A"));
  files_.publish(with("B"));
  loop_.run_ready();
  EXPECT_EQ(said(), (Strings{"a.io/cdi: |", "a.io/plain: scope", "a.io/cdi: A B | A B"}));
  files_.publish(with("C"));
  files_.publish(with("D"));
  loop_.run_ready();
  EXPECT_EQ(said().back(), "a.io/cdi: A B C D | A B C D");
  EXPECT_EQ(in_file(), " A B C D");
}

TEST_F(UnitFilesTest, ThatCannotBeWrittenKeepTheListBack) {
  dir_.write("cdi", "in the way");
  with("A");
  start();
  loop_.run_ready();
  EXPECT_EQ(said(), (Strings{"a.io/cdi: |", "a.io/plain: scope"}));
  files_.publish(with("B"));
  loop_.run_ready();
  EXPECT_EQ(said(), Strings{});
  // It is tried again by itself.
  std::filesystem::remove(dir_ / "cdi");
  loop_.advance(std::chrono::seconds(5));
  EXPECT_EQ(said(), Strings{"a.io/cdi: A B | A B"});
  EXPECT_FALSE(loop_.until_next_timer());
}

TEST_F(UnitFilesTest, OfEarlierRunsAreGoneWhenTheFirstListGoesOut) {
  dir_.write("cdi/patchbay-a.io_cdi.json", "{}");
  dir_.write("cdi/patchbay-a.io_other.json", "{}");
  dir_.write("cdi/vendor.json", "{}");
  start();
  loop_.run_ready();
  EXPECT_FALSE(std::filesystem::exists(spec_));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "cdi/patchbay-a.io_other.json"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "cdi/vendor.json"));
}

}  // namespace
}  // namespace patchbay::daemon
