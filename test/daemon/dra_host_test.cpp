#include "daemon/dra_host.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dra/dra_fixture.h"
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
  DraHostTest() { std::filesystem::create_directories(dir_ / "device-plugins"); }

  static rules::PlanPtr plan(const std::string& driver) {
    auto plan = std::make_shared<rules::Plan>(
        *dra::dra_plan("  - {name: a.io/uart, match: {subsystem: tty}, id: $(name)}\n"));
    plan->driver = driver;
    return plan;
  }
  static inventory::SnapshotPtr list(const rules::PlanPtr& plan) {
    return dra::snapshots_of(plan, {dra::adapter("ttyUSB0", "A")}).front();
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
  DraHost host_{
      {.loop = loop_, .inotify = *inotify_, .work = work_, .steps = *steps_, .plugins = plugins_},
      {.kubelet_root = dir_.path(),
       .cdi_directory = dir_ / "cdi",
       .root = {},
       .kube_command = {"/nonexistent/patchbay-kube"}},
      [] {}};
  bool removed_ = false;
};

TEST_F(DraHostTest, RemovalWithoutADriverEndsLater) {
  remove();
  EXPECT_FALSE(removed_) << "the callback may destroy the caller";
  EXPECT_TRUE(wait_for_removal());
}

TEST_F(DraHostTest, RemovalEndsIfTheDriverChanges) {
  const auto before = plan("a.example.com");
  host_.set_plan(before);
  host_.set(list(before));
  remove();
  loop_.post([this] { loop_.stop(); });
  loop_.run();
  EXPECT_FALSE(removed_) << "a stored slice may have its devices";
  host_.set_plan(plan("b.example.com"));
  EXPECT_TRUE(wait_for_removal());
}

TEST_F(DraHostTest, StatusNamesTheMissingKubelet) {
  const auto status_of = [this] {
    const auto status = host_.status();
    return std::string(word_of(status.kind)) + " " + std::string(word_of(status.state));
  };
  EXPECT_EQ(status_of(), "dra standby");
  host_.set_plan(plan("a.example.com"));
  EXPECT_TRUE(fake::run_until(loop_, [&] { return !host_.status().failure.empty(); }));
  EXPECT_EQ(status_of(), "dra noKubelet");
}

}  // namespace
}  // namespace patchbay::daemon
