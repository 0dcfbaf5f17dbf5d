#include "health/monitor.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "fake/scripted_paths.h"
#include "health/scripted_runner.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::health {
namespace {

using namespace std::chrono_literals;
using inventory::Strings;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// The YAML of a resource with serial adapters and the keys `more`.
std::string serials(const std::string& more) {
  return "  - name: a.io/serial\n    linger: 5m\n    match: {subsystem: tty}\n    id: $(name)\n"
         "    devices: []\n    envs: {S: $(name)}\n" +
         more;
}
const std::string kProbed = "    health: [{open: $(devnode), failureThreshold: 2}]\n";

class MonitorTest : public testing::Test {
 protected:
  void start(const std::string& resources, Monitor::Options options = {}) {
    options.random = [this] { return random_; };
    inventory_ = std::make_unique<inventory::Inventory>(inventory::plan_of(resources));
    monitor_ = std::make_unique<Monitor>(loop_, runner_, paths_, std::move(options),
                                         [this] { on_change(); });
  }
  /// Replaces the plan and the inventory.
  void use(const rules::PlanPtr& plan) {
    auto next = std::make_unique<inventory::Inventory>(plan);
    next->inherit(*inventory_);
    inventory_ = std::move(next);
  }
  void on_change() {
    ++changes_;
    resolve();
  }
  void resolve() {
    monitor_->follow(inventory_->plan()->resources, inventory_->offer());
    inventory_->make_snapshots(loop_.now(), monitor_->healths());
  }
  void see(const std::string& name, const std::string& serial = "A") {
    inventory_->apply(inventory::shared(inventory::serial(name, serial)));
  }
  static std::string key(const std::string& name) { return "/sys/devices/usb/" + name; }
  void lose(const std::string& name) {
    inventory_->remove(key(name));
    resolve();
  }
  Strings units() { return inventory::units(inventory_->last()); }
  /// Delivers the results that are ready now.
  void run_iteration() { loop_.advance(0ms); }
  /// Waits until a check is running, and returns the time that it took.
  loop::Milliseconds until_begun() {
    loop::Milliseconds waited{0};
    while (runner_.running().empty()) {
      const auto next = loop_.until_next_timer();
      if (!next) break;
      waited += *next;
      loop_.advance(*next);
    }
    return waited;
  }

  fake::ManualLoop loop_;
  ScriptedRunner runner_;
  fake::ScriptedPaths paths_;
  double random_ = 0.5;
  int changes_ = 0;
  std::unique_ptr<inventory::Inventory> inventory_;
  std::unique_ptr<Monitor> monitor_;
};

TEST_F(MonitorTest, FirstResultDecidesAtOnce) {
  start(serials("    health: [{open: $(devnode), failureThreshold: 3}]\n"));
  see("a");
  resolve();
  EXPECT_EQ(units(), Strings{"a"});
  EXPECT_THAT(runner_.begun, ElementsAre("/dev/a")) << "without a delay";
  runner_.fail("/dev/a");
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: no answer"});
}

TEST_F(MonitorTest, RunsEachProbeAtItsPeriod) {
  start(serials("    health: [{open: $(devnode), period: 1m}]\n"));
  see("a");
  resolve();
  for (int i = 0; i < 5; ++i) {
    loop_.advance(3s);  // A run takes 3 s. The period is measured between starts.
    ASSERT_TRUE(runner_.pass("/dev/a"));
    const auto waited = until_begun();
    EXPECT_GE(waited + 3s, 52500ms);
    EXPECT_LE(waited + 3s, 67500ms);
  }
  EXPECT_EQ(changes_, 0);
}

TEST_F(MonitorTest, NeverRunsAProbeTwiceAtATime) {
  start(serials("    health: [{open: $(devnode), period: 1s}]\n"));
  see("a");
  resolve();
  until_begun();
  loop_.advance(1h);
  EXPECT_THAT(runner_.begun, SizeIs(1));
  runner_.pass("/dev/a");
  EXPECT_GT(until_begun(), 800ms);
}

TEST_F(MonitorTest, RunsLimitedNumberOfProbesAndStarvesNone) {
  start(serials(kProbed), {.max_checks = 3});
  for (int i = 0; i < 20; ++i) see("a" + std::to_string(i));
  resolve();
  loop_.advance(2s);
  EXPECT_THAT(runner_.running(), SizeIs(3));
  while (!runner_.running().empty()) runner_.pass(runner_.running().front());
  EXPECT_THAT(std::set(runner_.begun.begin(), runner_.begun.end()), SizeIs(20));
  EXPECT_EQ(runner_.most_at_once, 3U);
}

TEST_F(MonitorTest, ReportsManyChangesOnce) {
  start(serials("    health: [{open: $(devnode), failureThreshold: 1}]\n"));
  see("a");
  see("b");
  resolve();
  loop_.advance(2s);
  runner_.fail("/dev/a");
  runner_.fail("/dev/b", "broken");
  EXPECT_EQ(changes_, 0);
  run_iteration();
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(units(), (Strings{"a: no answer", "b: broken"}));
}

TEST_F(MonitorTest, UnitFailsAndRecovers) {
  start(serials(kProbed));
  see("a");
  resolve();
  const auto before = inventory_->last().resources.at(0).snapshot;
  runner_.pass("/dev/a");
  until_begun();
  runner_.fail("/dev/a");
  until_begun();
  EXPECT_EQ(inventory_->last().resources.at(0).snapshot, before);
  runner_.fail("/dev/a");
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: no answer"});
  until_begun();
  runner_.pass("/dev/a");
  run_iteration();
  EXPECT_EQ(units(), Strings{"a"});
  EXPECT_EQ(inventory_->last().resources.at(0).snapshot->find("a")->last_reason, "no answer");
  EXPECT_EQ(changes_, 2);
}

TEST_F(MonitorTest, SinceIsKeptWhileFaultsChange) {
  start(
      serials("    health: [{open: $(devnode), failureThreshold: 1}]\n"
              "    mounts: [{hostPath: /srv/$(name), containerPath: /own}]\n"));
  see("a");
  resolve();
  paths_.states["/srv/a"] = fake::kMissing;
  run_iteration();
  paths_.end();
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: /srv/a does not exist"});
  const auto since = inventory_->last().resources.at(0).snapshot->find("a")->since;
  until_begun();
  runner_.fail("/dev/a");
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: no answer; /srv/a does not exist"});
  EXPECT_EQ(inventory_->last().resources.at(0).snapshot->find("a")->since, since);
  until_begun();
  runner_.pass("/dev/a");
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: /srv/a does not exist"});
  EXPECT_EQ(inventory_->last().resources.at(0).snapshot->find("a")->since, since);
  EXPECT_GT(loop_.now(), since);
}

TEST_F(MonitorTest, EventRunsOnlyProbesOfItsDevice) {
  start(serials(kProbed));
  see("a");
  see("b");
  resolve();
  for (const char* node : {"/dev/a", "/dev/b"}) runner_.pass(node);
  monitor_->device_event(key("a"));
  monitor_->device_event("/sys/devices/of/nobody");
  EXPECT_THAT(runner_.running(), ElementsAre("/dev/a"));
  // Many events during a run cause one more run.
  for (int i = 0; i < 10; ++i) monitor_->device_event(key("a"));
  runner_.pass("/dev/a");
  EXPECT_THAT(runner_.running(), ElementsAre("/dev/a"));
  runner_.pass("/dev/a");
  EXPECT_THAT(runner_.running(), IsEmpty());
  EXPECT_THAT(runner_.begun, ElementsAre("/dev/a", "/dev/b", "/dev/a", "/dev/a"));
}

TEST_F(MonitorTest, ProbesOfLostUnitEndAndAreForgotten) {
  start(serials("    health: [{open: $(devnode), failureThreshold: 1}]\n"), {.max_checks = 1});
  see("a");
  see("b");
  resolve();
  loop_.advance(2s);
  EXPECT_THAT(runner_.running(), ElementsAre("/dev/a"));
  lose("a");
  EXPECT_THAT(runner_.running(), ElementsAre("/dev/b"));  // b gets the free slot.
  lose("b");
  EXPECT_TRUE(monitor_->idle());
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
  monitor_->device_event(key("a"));
  EXPECT_THAT(runner_.running(), IsEmpty());
  // When unit a returns, its earlier failures are forgotten.
  see("a");
  resolve();
  EXPECT_EQ(units(), (Strings{"a", "b: the device is gone"}));
}

TEST_F(MonitorTest, ChangedProbesResetHealthOfUnit) {
  start(serials("    health: [{open: /run/$(property.SERIAL), failureThreshold: 1}]\n"));
  see("a", "A");
  resolve();
  until_begun();
  runner_.fail("/run/A");
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: no answer"});
  until_begun();
  see("a", "B");
  resolve();
  EXPECT_EQ(units(), Strings{"a"});
  EXPECT_FALSE(runner_.fail("/run/A"));  // The check was cancelled.
  until_begun();
  EXPECT_THAT(runner_.running(), ElementsAre("/run/B"));
}

TEST_F(MonitorTest, UnchangedProbesKeepHealthOfUnit) {
  start(serials("    health: [{open: $(devnode), failureThreshold: 1}]\n"));
  see("a", "A");
  resolve();
  until_begun();
  runner_.fail("/dev/a");
  run_iteration();
  until_begun();
  see("a", "B");  // Other facts make another MadeUnit.
  resolve();
  EXPECT_EQ(units(), Strings{"a: no answer"});
  EXPECT_THAT(runner_.running(), ElementsAre("/dev/a"));
  // The unit also keeps its probes under another plan.
  use(inventory::plan_of("  - {name: a.io/first, match: {subsystem: net}}\n" +
                         serials("    health: [{open: $(devnode), failureThreshold: 1}]\n")));
  see("a", "B");
  resolve();
  EXPECT_EQ(inventory::units(inventory_->last(), 1), Strings{"a: no answer"});
  runner_.pass("/dev/a");
  run_iteration();
  EXPECT_EQ(inventory::units(inventory_->last(), 1), Strings{"a"});
}

TEST_F(MonitorTest, ChangedThresholdResetsHealthOfUnit) {
  start(serials("    health: [{open: $(devnode), failureThreshold: 1}]\n"));
  see("a");
  resolve();
  until_begun();
  runner_.fail("/dev/a");
  run_iteration();
  use(inventory::plan_of(serials("    health: [{open: $(devnode), failureThreshold: 2}]\n")));
  see("a");
  resolve();
  EXPECT_EQ(units(), Strings{"a"});
}

TEST_F(MonitorTest, StopsProbingUnitsOfARemovedResource) {
  start("  - {name: a.io/net, match: {subsystem: net}}\n" +
        serials("    health: [{open: $(devnode), failureThreshold: 1}]\n"));
  see("a");
  resolve();
  until_begun();
  EXPECT_THAT(runner_.running(), ElementsAre("/dev/a"));
  use(inventory::plan_of("  - {name: a.io/net, match: {subsystem: net}}\n"));
  resolve();
  EXPECT_THAT(runner_.running(), IsEmpty());
  EXPECT_TRUE(monitor_->idle());
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
}

TEST_F(MonitorTest, EventRunsProbesOfAllUnitsThatShareDevice) {
  const auto one = [](const std::string& name, const std::string& path) {
    return "  - {name: a.io/" + name + ", match: {subsystem: tty}, claim: shared, id: " + name +
           "-$(name), devices: [], envs: {" + name + ": $(name)}, health: [{open: " + path +
           ", period: 1h}]}\n";
  };
  start(one("x", "/run/x") + one("y", "/run/y"));
  see("a");
  resolve();
  const auto run_all = [&](const std::string& path) {
    monitor_->device_event(key(path));
    const auto running = runner_.running();
    while (runner_.pass("/run/x") || runner_.pass("/run/y")) run_iteration();
    return running;
  };
  EXPECT_THAT(run_all("a"), UnorderedElementsAre("/run/x", "/run/y"));
  see("a", "B");  // The shared device gets other facts.
  resolve();
  EXPECT_THAT(run_all("a"), UnorderedElementsAre("/run/x", "/run/y"));
  lose("a");
  EXPECT_THAT(run_all("a"), IsEmpty());
}

TEST_F(MonitorTest, OneJobChecksThePathsOfAllUnits) {
  start(
      serials("    mounts: [{hostPath: /srv/all, containerPath: /all}, "
              "{hostPath: /srv/$(name), containerPath: /own}]\n"));
  see("a");
  see("b");
  resolve();
  EXPECT_EQ(units(), (Strings{"a", "b"}));
  run_iteration();
  ASSERT_THAT(paths_.asked, SizeIs(1));
  EXPECT_THAT(paths_.asked[0], UnorderedElementsAre("/srv/a", "/srv/all", "/srv/b"));
  paths_.states["/srv/b"] = fake::kMissing;
  paths_.end();
  run_iteration();
  EXPECT_EQ(units(), (Strings{"a", "b: /srv/b does not exist"}));
  // After a period all paths are checked again.
  loop_.advance(Monitor::kPathPeriod + Monitor::kPathPeriod / 8);
  ASSERT_THAT(paths_.asked, SizeIs(2));
  EXPECT_THAT(paths_.asked[1], SizeIs(3));
  paths_.states = {{"/srv/all", fake::kMissing}};
  paths_.end();
  run_iteration();
  EXPECT_EQ(units(), (Strings{"a: /srv/all does not exist", "b: /srv/all does not exist"}));
  EXPECT_EQ(changes_, 2);
}

TEST_F(MonitorTest, RereadsDeviceOnceWhenItsNodeHasOtherNumber) {
  Strings read;
  start("  - {name: a.io/serial, match: {subsystem: tty}, id: $(name)}\n",
        {.out_of_date = [&](const std::string& device) { read.push_back(device); }});
  DeviceFacts facts = inventory::serial("a", "A");
  facts.number = DeviceNumber{.block = false, .major = 188, .minor = 0};
  inventory_->apply(inventory::shared(facts));
  resolve();
  const auto look = [&](unsigned minor) {
    paths_.states["/dev/a"] = {.kind = paths::PathState::Kind::exists,
                               .mode = S_IFCHR,
                               .number = ::gnu_dev_makedev(188, minor)};
    loop_.advance(Monitor::kPathPeriod + Monitor::kPathPeriod / 8);
    paths_.end();
    run_iteration();
  };
  run_iteration();
  paths_.end();
  look(0);
  EXPECT_THAT(read, IsEmpty());
  look(1);
  EXPECT_EQ(units(),
            Strings{"a: /dev/a leads to another device, char 188:1 instead of char 188:0"});
  EXPECT_THAT(read, ElementsAre(key("a")));
  look(1);
  EXPECT_THAT(read, SizeIs(1)) << "it still leads there";
  look(0);
  EXPECT_EQ(units(), Strings{"a"});
}

TEST_F(MonitorTest, PathMayBeNeededAsFileAndAsNode) {
  start(
      "  - {name: a.io/node, match: {static: [a]}, id: $(name), devices: [/srv/x]}\n"
      "  - {name: a.io/mount, match: {static: [b]}, id: $(name), devices: [], "
      "mounts: [{hostPath: /srv/x, containerPath: /x}]}\n");
  inventory_->apply(inventory::shared(inventory::named("a")));
  inventory_->apply(inventory::shared(inventory::named("b")));
  resolve();
  run_iteration();
  ASSERT_THAT(paths_.asked, ElementsAre(ElementsAre("/srv/x")));
  paths_.states["/srv/x"] = {.kind = paths::PathState::Kind::exists, .mode = S_IFDIR};
  paths_.end();
  run_iteration();
  EXPECT_EQ(units(), Strings{"a: /srv/x is a directory, not a device node"});
  EXPECT_EQ(inventory::units(inventory_->last(), 1), Strings{"b"});
}

TEST_F(MonitorTest, ChecksOnlyPathsOfNewUnitsAndOfEvents) {
  start(serials("    mounts: [{hostPath: /srv/$(name), containerPath: /own}]\n"));
  see("a");
  resolve();
  run_iteration();
  see("b");
  resolve();
  run_iteration();
  EXPECT_THAT(paths_.asked, SizeIs(1));  // One job runs at a time.
  paths_.end();
  run_iteration();
  ASSERT_THAT(paths_.asked, SizeIs(2));
  EXPECT_THAT(paths_.asked[1], ElementsAre("/srv/b"));
  paths_.end();
  monitor_->device_event(key("a"));
  run_iteration();
  ASSERT_THAT(paths_.asked, SizeIs(3));
  EXPECT_THAT(paths_.asked[2], ElementsAre("/srv/a"));
  lose("a");
  paths_.states["/srv/a"] = fake::kMissing;
  paths_.end();
  lose("b");
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
}

TEST_F(MonitorTest, OnceModeChecksEverythingOnce) {
  start(serials("    health: [{open: $(devnode), failureThreshold: 3}]\n"
                "    mounts: [{hostPath: /srv/$(name), containerPath: /own}]\n"),
        {.max_checks = 1, .once = true});
  see("a");
  see("b");
  see("c");
  resolve();
  EXPECT_FALSE(monitor_->idle());
  paths_.states["/srv/b"] = fake::kMissing;
  run_iteration();
  paths_.end();
  runner_.pass("/dev/a");
  runner_.pass("/dev/b");
  run_iteration();
  EXPECT_EQ(changes_, 0);
  runner_.fail("/dev/c");
  run_iteration();
  EXPECT_EQ(changes_, 1);
  EXPECT_TRUE(monitor_->idle());
  EXPECT_EQ(units(), (Strings{"a", "b: /srv/b does not exist", "c: no answer"}));
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
  EXPECT_THAT(runner_.begun, SizeIs(3));
}

TEST_F(MonitorTest, LogsEachReasonOfUnrunnableProbeOnce) {
  start(serials("    health: [{open: $(devnode)}]\n"));
  see("a");
  resolve();
  testing::internal::CaptureStderr();
  for (const std::string reason : {"not permitted", "not permitted", "no memory"}) {
    until_begun();
    runner_.cannot("/dev/a", reason);
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("probe cannot run resource=a.io/serial unit=a probe=\"open: "
                             "$(devnode)\" reason=\"not permitted\""));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
}

TEST_F(MonitorTest, StopsWhileChecksRun) {
  start(serials(kProbed), {.max_checks = 1});
  for (const std::string name : {"a", "b", "c", "d", "e", "f", "g", "h"}) see(name);
  resolve();
  monitor_.reset();
  EXPECT_THAT(runner_.begun, ElementsAre("/dev/a"));  // No other check gets the free slot.
  EXPECT_THAT(runner_.running(), IsEmpty());
  EXPECT_EQ(loop_.until_next_timer(), std::nullopt);
}

}  // namespace
}  // namespace patchbay::health
