#include "daemon/dra_host.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dra/dra_fixture.h"
#include "driver/claim_fixture.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "loop/work_queue.h"
#include "plugin/answers.h"
#include "status/counters.h"

namespace patchbay::daemon {
namespace {

/// A host whose API client cannot run, so that no slice is ever stored.
class DraHostTest : public testing::Test {
 protected:
  DraHostTest() {
    std::filesystem::create_directories(dir_ / "device-plugins");
    std::filesystem::create_directories(dir_ / "plugins");
    std::filesystem::create_directories(dir_ / "plugins_registry");
  }

  static rules::PlanPtr plan(const std::string& driver) {
    auto plan = std::make_shared<rules::Plan>(
        *dra::dra_plan("  - {name: a.io/uart, match: {subsystem: tty}, id: $(name)}\n"));
    plan->driver = driver;
    return plan;
  }
  static inventory::SnapshotPtr list(const rules::PlanPtr& plan) {
    return dra::snapshots_of(plan, {dra::adapter("ttyUSB0", "A")}).front();
  }
  /// Waits until the records were read.
  void load() {
    bool loaded = false;
    host_.load([&] { loaded = true; });
    ASSERT_TRUE(fake::run_until(loop_, [&] { return loaded; }));
  }
  [[nodiscard]] std::string status() const {
    const auto status = host_.status();
    return std::string(word_of(status.kind)) + " " + std::string(word_of(status.state));
  }
  /// "NAME active, NAME draining", without those that are not served.
  [[nodiscard]] std::string drivers() const {
    std::string text;
    for (const status::DraDriver& its : host_.drivers()) {
      if (its.standby) continue;
      text += (text.empty() ? "" : ", ") + its.name + (its.draining ? " draining" : " active");
    }
    return text;
  }
  void remove() {
    host_.remove("a.io/uart", [this] { removed_ = true; });
  }
  [[nodiscard]] bool wait_for_removal() {
    return fake::run_until(loop_, [this] { return removed_; });
  }

  fake::TempDir dir_;
  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop_).value();
  loop::WorkQueue work_{loop_};
  std::unique_ptr<steps::StepRunner> steps_ =
      steps::StepRunner::create(loop_, *inotify_, work_, {.root = {}, .environment = {}});
  plugin::AnswerPaths paths_{loop_, {}};
  status::Counters counters_;
  plugin::PluginHost plugins_{
      loop_, *inotify_, dir_ / "device-plugins",
      plugin::AnswerContext{.paths = paths_, .devices_changed = {}, .prepare_start = {}},
      counters_};
  DraHost host_{{.loop = loop_,
                 .inotify = *inotify_,
                 .work = work_,
                 .steps = *steps_,
                 .plugins = plugins_,
                 .pods = nullptr,
                 .counters = counters_},
                {.node = "node-1",
                 .kubelet_root = dir_.path(),
                 .cdi_directory = dir_ / "cdi",
                 .root = {},
                 .kube_command = {"/nonexistent/patchbay-kube"}},
                {.acknowledged = [] {}, .claims_changed = [] {}}};
  bool removed_ = false;
};

TEST_F(DraHostTest, RemovalWithoutADriverEndsLater) {
  remove();
  EXPECT_FALSE(removed_) << "the callback may destroy the caller";
  EXPECT_TRUE(wait_for_removal());
}

/// Its slices may have the devices of the resource.
TEST_F(DraHostTest, RemovalWaitsForTheSlicesOfAFormerDriver) {
  load();
  const auto before = plan("a.example.com");
  host_.set_plan(before);
  host_.set(list(before));
  ASSERT_TRUE(fake::run_until(loop_, [&] { return status() == "dra registering"; }));
  host_.set_plan(plan("b.example.com"));
  remove();
  ASSERT_TRUE(fake::run_until(loop_, [&] { return status() == "dra registering"; }));
  EXPECT_FALSE(removed_);
  EXPECT_EQ(drivers(), "b.example.com active, a.example.com draining");
}

TEST_F(DraHostTest, WithoutRecordsNoDriverIsServed) {
  dir_.write("plugins/patchbay/claims", "a file");
  EXPECT_EQ(status(), "dra noKubelet");
  load();
  host_.set_plan(plan("a.example.com"));
  EXPECT_EQ(drivers(), "");
  EXPECT_EQ(host_.status().failure, "cannot read the directory " + dir_.path() +
                                        "/plugins/patchbay/claims: Not a directory");
  std::filesystem::remove(dir_ / "plugins/patchbay/claims");
  EXPECT_TRUE(fake::run_until(loop_, [&] { return status() == "dra registering"; }));
}

TEST_F(DraHostTest, DriverOfARecordDrains) {
  driver::ClaimRecord record = driver::prepared({driver::disk("r", "zram0")});
  record.driver = "old.example.com";
  dir_.write("plugins/patchbay/claims/" + record.uid + ".json", driver::to_text(record));
  load();
  host_.set_plan(plan("a.example.com"));
  EXPECT_TRUE(fake::run_until(
      loop_, [&] { return drivers() == "a.example.com active, old.example.com draining"; }));
}

}  // namespace
}  // namespace patchbay::daemon
