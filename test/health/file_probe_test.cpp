// Tests how often changes of a file count as results of a probe.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "fake/runner_fixture.h"
#include "health/monitor.h"
#include "health/scripted_runner.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::health {
namespace {

using inventory::Strings;

/// Uses events of a real file. The test sets the content that a check reads. The period of the
/// probe is so long that only events cause runs.
class FileProbeTest : public fake::RunnerTest {
 protected:
  void start(const std::string& more) {
    inventory = std::make_unique<inventory::Inventory>(inventory::plan_of(
        "  - name: a.io/scope\n    match: {static: [a]}\n    id: $(name)\n    health: [{file: {" +
        state + ": ok}, period: 24h" + more + "}]\n"));
    monitor = std::make_unique<Monitor>(
        loop, runner, *paths,
        Monitor::Options{.random = [] { return 0.0; }, .inotify = inotify.get()},
        [this] { resolve(); });
    inventory->apply(inventory::shared(inventory::named("a")));
    resolve();
    // The probe runs again when the watch on the file begins.
    ASSERT_TRUE(reads("ok"));
    ASSERT_TRUE(reads("ok"));
  }
  void resolve() {
    monitor->follow(inventory->plan()->resources, inventory->offer());
    inventory->make_snapshots(loop.now(), monitor->healths());
  }

  /// Waits until the probe runs, and ends the run with this text as the content.
  [[nodiscard]] bool reads(const std::string& text) {
    if (!until([&] { return !runner.running().empty(); })) return false;
    return runner.end("", {.values = {{state, {text}}}});
  }
  void replace_file(const std::string& text) {
    std::filesystem::rename(dir.write("next", text), state);
  }
  /// Replaces the file. Ends the two runs that this causes, of which one counts.
  [[nodiscard]] bool replaced_with(const std::string& text) {
    replace_file(text);
    return reads(text) && reads(text);
  }
  [[nodiscard]] bool written(const std::string& text) {
    dir.write("state", text);
    return reads(text);
  }
  Strings units() {
    bool turned = false;
    const auto run_iteration = loop.after(loop::Milliseconds(0), [&] { turned = true; });
    EXPECT_TRUE(until([&] { return turned; }));
    return inventory::units(inventory->last());
  }

  const std::string state = dir.write("state", "ok");
  const std::unique_ptr<loop::Inotify> inotify = loop::Inotify::create(loop).value();
  ScriptedRunner runner;
  const std::unique_ptr<paths::PathChecker> paths = paths::PathChecker::create(threads, {});
  std::unique_ptr<inventory::Inventory> inventory;
  std::unique_ptr<Monitor> monitor;
};

TEST_F(FileProbeTest, OneBadWriteCountsOnce) {
  start(", failureThreshold: 2");
  ASSERT_TRUE(written("bad"));
  EXPECT_EQ(units(), Strings{"a"});
  // Writing or replacing the file with the same content is not a second failure.
  ASSERT_TRUE(written("bad"));
  ASSERT_TRUE(replaced_with("bad"));
  EXPECT_EQ(units(), Strings{"a"});
  ASSERT_TRUE(written("worse"));
  EXPECT_THAT(units(), testing::ElementsAre(testing::HasSubstr("worse")));
}

TEST_F(FileProbeTest, OneBadReplacementCountsOnce) {
  start(", failureThreshold: 2");
  ASSERT_TRUE(replaced_with("bad"));
  EXPECT_EQ(units(), Strings{"a"});
  ASSERT_TRUE(replaced_with("worse"));
  EXPECT_THAT(units(), testing::ElementsAre(testing::HasSubstr("worse")));
}

/// The writer first empties the file, and then writes the content in small pieces.
TEST_F(FileProbeTest, EmptyFileIsNoFailureWhileItIsWritten) {
  start(", failureThreshold: 1");
  std::ofstream writer(state);
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(until([&] { return !runner.running().empty(); }));
    writer << "o" << std::flush;
    for (int events = 0; events < 2; ++events) EXPECT_EQ(units(), Strings{"a"});
    ASSERT_TRUE(reads(""));
  }
  EXPECT_EQ(units(), Strings{"a"});
}

TEST_F(FileProbeTest, OneGoodWriteCountsOnce) {
  start(", failureThreshold: 1, successThreshold: 2");
  ASSERT_TRUE(written("bad"));
  EXPECT_THAT(units(), testing::ElementsAre(testing::HasSubstr("bad")));
  ASSERT_TRUE(replaced_with("ok"));
  ASSERT_TRUE(written("ok"));
  EXPECT_THAT(units(), testing::ElementsAre(testing::HasSubstr("bad")));
  // An event of the device makes the same content count again.
  monitor->device_event(static_key("a"));
  ASSERT_TRUE(reads("ok"));
  EXPECT_EQ(units(), Strings{"a"});
}

}  // namespace
}  // namespace patchbay::health
