#include "daemon/unit_file_writer.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "fake/manual_work.h"
#include "fake/temp_dir.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::daemon {
namespace {

using inventory::Strings;

/// For a resource with adapters as units and with CDI specs.
class UnitFileWriterTest : public testing::Test {
 protected:
  static rules::PlanPtr plan(const std::string& more) {
    return inventory::plan_of("  - {name: a.io/cdi, match: {subsystem: tty}, id: $(name)" + more +
                              "}\n");
  }
  UnitFileWriterTest() { use(", cdi: write"); }

  void use(const std::string& more) { inventory_.emplace(plan(more)); }
  inventory::SnapshotPtr now() {
    return inventory_->resolve(inventory::kStart).resources.at(0).snapshot;
  }
  inventory::SnapshotPtr with(const std::string& adapter,
                              std::optional<loop::Time> event_time = {}) {
    inventory_->apply(inventory::shared(inventory::serial(adapter, "S")));
    if (event_time) inventory_->note_event(*event_time);
    return now();
  }
  /// Records the units of a forwarded list, and those in the spec file at this time.
  void note(const inventory::Snapshot& snapshot) {
    std::string line = snapshot.resource->name + ':';
    for (const auto& unit : snapshot.units) line += ' ' + unit.id;
    line += " |" + in_file();
    log_.push_back(line);
    event_times_.push_back(snapshot.event_time);
  }
  [[nodiscard]] std::string in_file() const {
    std::ifstream in(spec_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::string ids;
    const std::string key = R"("name": ")";
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const size_t begin = at + key.size();
      ids += ' ' + text.substr(begin, text.find('"', begin) - begin);
    }
    return ids;
  }
  /// The lists that were forwarded since the last call.
  Strings take_log() { return std::exchange(log_, {}); }

  fake::TempDir dir_;
  const std::string spec_ = dir_ / "cdi/patchbay-a.io_cdi.json";
  fake::ManualLoop loop_;
  std::optional<inventory::Inventory> inventory_;
  Strings log_;
  std::vector<std::optional<loop::Time>> event_times_;
  std::shared_ptr<specs::UnitFileStore> store_ =
      std::make_shared<specs::UnitFileStore>(specs::UnitFileLocations{
          .cdi_directory = dir_ / "cdi", .device_info_directory = dir_ / "info", .root = {}});
  fake::ManualWork work_{loop_};
  UnitFileWriter files_{loop_, work_, store_,
                        [this](const inventory::SnapshotPtr& snapshot) { note(*snapshot); }};
};

TEST_F(UnitFileWriterTest, WritesFilesBeforeListIsPublished) {
  files_.publish(with("A"));
  EXPECT_EQ(take_log(), Strings{});
  loop_.run_ready();
  EXPECT_EQ(take_log(), Strings{"a.io/cdi: A | A"});
  files_.publish(with("B"));
  EXPECT_EQ(take_log(), Strings{});
  loop_.run_ready();
  EXPECT_EQ(take_log(), Strings{"a.io/cdi: A B | A B"});
}

TEST_F(UnitFileWriterTest, DoesNotDelayResourcesWithoutFiles) {
  use("");
  files_.publish(with("A"));
  EXPECT_EQ(take_log(), Strings{"a.io/cdi: A |"});
}

TEST_F(UnitFileWriterTest, RemovesFilesWhenResourceNoLongerWritesThem) {
  files_.publish(with("A"));
  loop_.run_ready();
  take_log();
  use("");
  files_.publish(with("A"));
  loop_.run_ready();
  EXPECT_EQ(take_log(), Strings{"a.io/cdi: A |"});
  EXPECT_FALSE(std::filesystem::exists(spec_));
}

TEST_F(UnitFileWriterTest, ForwardedSnapshotHasEarliestEventTimeOfSkippedOnes) {
  using std::chrono::milliseconds;
  const loop::Time start = loop_.now();
  files_.publish(with("A", start));
  files_.publish(with("B", start + milliseconds(1)));
  files_.publish(with("C", start + milliseconds(2)));
  loop_.run_ready();
  files_.publish(with("D"));
  loop_.run_ready();
  EXPECT_THAT(event_times_, testing::ElementsAre(start, start + milliseconds(1), std::nullopt));
}

TEST_F(UnitFileWriterTest, WritesFilesOfNewestListLast) {
  files_.publish(now());
  files_.publish(with("A"));
  files_.publish(with("B"));
  loop_.run_ready();
  EXPECT_EQ(take_log(), (Strings{"a.io/cdi: |", "a.io/cdi: A B | A B"}));
  files_.publish(with("C"));
  files_.publish(with("D"));
  loop_.run_ready();
  EXPECT_EQ(take_log().back(), "a.io/cdi: A B C D | A B C D");
  EXPECT_EQ(in_file(), " A B C D");
}

TEST_F(UnitFileWriterTest, WithholdsListWhileWriteFails) {
  dir_.write("cdi", "in the way");
  files_.publish(with("A"));
  loop_.run_ready();
  EXPECT_EQ(take_log(), Strings{}) << "nor is an empty list published";
  EXPECT_EQ(files_.failure(),
            "cannot create the directory " + (dir_ / "cdi") + ": Not a directory");
  files_.publish(with("B"));
  loop_.run_ready();
  EXPECT_EQ(take_log(), Strings{});
  // The writer retries by itself when the directory can be created.
  std::filesystem::remove(dir_ / "cdi");
  loop_.advance(std::chrono::seconds(5));
  EXPECT_EQ(take_log(), Strings{"a.io/cdi: A B | A B"});
  EXPECT_EQ(files_.failure(), "");
  EXPECT_FALSE(loop_.until_next_timer());
}

TEST_F(UnitFileWriterTest, WithholdsListWhileWriteHangs) {
  files_.publish(with("A"));
  loop_.run_ready();
  take_log();
  work_.hang();
  files_.publish(with("B"));
  loop_.advance(std::chrono::seconds(20));
  EXPECT_EQ(work_.hanging(), 1U) << "what hangs is not begun again";
  files_.publish(with("C"));
  loop_.advance(std::chrono::seconds(20));
  EXPECT_EQ(take_log(), Strings{});
  work_.let_go();
  loop_.advance(std::chrono::seconds(5));
  EXPECT_EQ(take_log(), Strings{"a.io/cdi: A B C | A B C"});
}

TEST_F(UnitFileWriterTest, HungWriteDoesNotBlockWithdrawal) {
  files_.publish(with("A"));
  loop_.run_ready();
  work_.hang();
  bool removed = false;
  files_.publish(with("B"));
  files_.remove([&] { removed = true; });
  loop_.advance(std::chrono::seconds(20));
  EXPECT_TRUE(removed);
}

}  // namespace
}  // namespace patchbay::daemon
