#include "daemon/change_log.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "base/log.h"
#include "fake/manual_loop.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::daemon {
namespace {

using namespace std::chrono_literals;
using inventory::Strings;
using testing::ElementsAre;
using testing::IsEmpty;

class ChangeLogTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { log::configure(log::Level::info, log::Format::text); }
  static void TearDownTestSuite() { log::configure(log::Level::warning, log::Format::text); }

  void start(const std::string& linger = "5m") {
    inventory_ = std::make_unique<inventory::Inventory>(inventory::plan_of(
        "  - {name: a.io/serial, match: {subsystem: tty}, id: $(name), linger: " + linger + "}\n"));
    testing::internal::CaptureStderr();
    plug();
    take_log();
  }
  void plug() {
    inventory_->apply(inventory::shared(inventory::serial("a", "A")));
    note();
  }
  void unplug() {
    inventory_->remove("/sys/devices/usb/a");
    note();
  }
  void is(const std::string& reason) {
    reason_ = reason;
    note();
  }
  const inventory::ResolvedResource& resolve() {
    const inventory::Health health{.healthy = reason_.empty(), .reason = reason_};
    return inventory::resolve_as(*inventory_, health, loop_.now()).resources.at(0);
  }
  void note() { note_in(log_); }
  void note_in(ChangeLog& log) {
    const inventory::ResolvedResource& resource = resolve();
    if (std::exchange(listed_, resource.snapshot) != resource.snapshot) {
      log.note_list(resource.snapshot);
    }
    log.note_problems(resource);
  }
  /// The log lines since the last call. Removes the beginning of each line, the resource, and the
  /// device "a".
  Strings take_log() {
    std::istringstream all(testing::internal::GetCapturedStderr());
    testing::internal::CaptureStderr();
    Strings lines;
    for (std::string line; std::getline(all, line);) {
      line.erase(0, line.find("unit"));
      for (const std::string field : {" resource=a.io/serial", " device=/sys/devices/usb/a"}) {
        if (const auto at = line.find(field); at != std::string::npos) line.erase(at, field.size());
      }
      lines.push_back(line);
    }
    return lines;
  }
  void TearDown() override { testing::internal::GetCapturedStderr(); }

  fake::ManualLoop loop_;
  std::unique_ptr<inventory::Inventory> inventory_;
  inventory::SnapshotPtr listed_;  ///< The list of the last note().
  std::string reason_;             ///< Why all units are unhealthy; empty: they are healthy.
  std::shared_ptr<status::ResourceCounters> counters_ =
      std::make_shared<status::ResourceCounters>();
  ChangeLog log_{loop_, counters_};
};

TEST_F(ChangeLogTest, WarnsOnceAboutUnitsThatGiveContainersNothing) {
  start();
  const auto plug_without_node = [&](const std::string& name) {
    DeviceFacts facts = inventory::serial(name, "");
    facts.devnode.clear();
    inventory_->apply(inventory::shared(facts));
    note();
  };
  plug_without_node("b");
  plug_without_node("c");
  inventory_->remove("/sys/devices/usb/c");
  inventory_->resolve(loop_.now() + 1h);
  note();
  // Only unit b still gives a container nothing. Changes of its health cause no second warning.
  is("no answer");
  is("");
  const auto lines = take_log();
  EXPECT_EQ(std::ranges::count_if(lines,
                                  [](const std::string& line) {
                                    return line.starts_with("unit gives a container nothing unit=");
                                  }),
            1)
      << testing::PrintToString(lines);
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr(
                         "unit gives a container nothing unit=b device=/sys/devices/usb/b "
                         "cause=\"the device has no device node\" hint=")));
  inventory_->remove("/sys/devices/usb/b");
  inventory_->resolve(loop_.now() + 1h);
  note();
  take_log();
}

TEST_F(ChangeLogTest, LogsOneReasonForUnpluggedDevice) {
  start();
  is("/dev/a does not exist");
  loop_.advance(3ms);
  unplug();
  EXPECT_THAT(take_log(), IsEmpty());
  loop_.advance(ChangeLog::kUnhealthyDelay);
  EXPECT_THAT(take_log(), ElementsAre("unit is unhealthy unit=a reason=\"the device is gone\""));
  loop_.advance(1h);
  EXPECT_THAT(take_log(), IsEmpty());
}

TEST_F(ChangeLogTest, LogsLaterReasonOfUnhealthyUnit) {
  start();
  is("no answer");
  loop_.advance(ChangeLog::kUnhealthyDelay);
  is("no answer; /dev/a does not exist");
  loop_.advance(ChangeLog::kUnhealthyDelay);
  EXPECT_THAT(take_log(),
              ElementsAre("unit is unhealthy unit=a reason=\"no answer\"",
                          "unit is unhealthy unit=a reason=\"no answer; /dev/a does not "
                          "exist\""));
}

TEST_F(ChangeLogTest, LogsBrieflyUnhealthyUnit) {
  start();
  is("no answer");
  is("");
  EXPECT_THAT(take_log(),
              ElementsAre("unit is unhealthy unit=a reason=\"no answer\"",
                          "unit is healthy again unit=a previous_reason=\"no answer\""));
}

TEST_F(ChangeLogTest, LogsReasonBeforeUnitIsDropped) {
  start("0s");
  is("/dev/a does not exist");
  unplug();
  EXPECT_THAT(take_log(), ElementsAre("unit is unhealthy unit=a reason=\"/dev/a does not exist\"",
                                      "unit dropped unit=a"));
}

TEST_F(ChangeLogTest, CountsEachLossOnce) {
  start("1m");
  EXPECT_EQ(counters_->units_lost.value(), 0);
  is("no answer");
  EXPECT_EQ(counters_->units_lost.value(), 0) << "an unhealthy unit is still there";
  unplug();
  EXPECT_EQ(counters_->units_lost.value(), 1);
  loop_.advance(1h);
  note();
  EXPECT_EQ(counters_->units_lost.value(), 1) << "the end of linger is no second loss";
  plug();
  unplug();
  EXPECT_EQ(counters_->units_lost.value(), 2);
  take_log();
}

TEST_F(ChangeLogTest, CountsLossOfUnitWithoutLinger) {
  start("0s");
  unplug();
  EXPECT_EQ(counters_->units_lost.value(), 1);
  take_log();
}

TEST_F(ChangeLogTest, DoesNotCountUnitsRemovedByEdit) {
  start();
  inventory_ = std::make_unique<inventory::Inventory>(
      inventory::plan_of("  - {name: a.io/serial, match: {subsystem: usb}}\n"));
  note();
  EXPECT_EQ(counters_->units_lost.value(), 0);
  take_log();
}

TEST_F(ChangeLogTest, DoesNotCountUnitsMovedByAnEditOfAnotherResource) {
  for (const char* linger : {"0s", "1m"}) {
    listed_ = nullptr;
    start(linger);
    inventory_->remove("/sys/devices/usb/a");
    log_.note_list(resolve().snapshot, true);
    loop_.advance(1h);
    note();
    EXPECT_EQ(counters_->units_lost.value(), 0) << linger;
    EXPECT_TRUE(log_.lost().empty()) << linger;
    take_log();
    testing::internal::GetCapturedStderr();
  }
  testing::internal::CaptureStderr();
}

TEST_F(ChangeLogTest, ForgetsLostUnitThatReturnsByEditOfAnotherResource) {
  start();
  unplug();
  EXPECT_EQ(log_.lost().size(), 1);
  inventory_->apply(inventory::shared(inventory::serial("a", "A")));
  log_.note_list(resolve().snapshot, true);
  EXPECT_TRUE(log_.lost().empty());
  take_log();
}

/// A resource with 2000 serial adapters s0, s1 and so on.
class ManyUnitsTest : public ChangeLogTest {
 protected:
  static constexpr size_t kUnits = 2000;

  void SetUp() override {
    inventory_ = std::make_unique<inventory::Inventory>(inventory::plan_of(
        "  - {name: a.io/serial, match: {subsystem: tty}, id: $(name), linger: 1m,\n"
        "     health: [{open: $(devnode)}, {open: /dev/null}]}\n"));
    testing::internal::CaptureStderr();
    note();
    plug_all();
  }
  void plug_all() {
    for (size_t i = 0; i < kUnits; ++i) {
      inventory_->apply(inventory::shared(inventory::serial("s" + std::to_string(i), "")));
    }
    note();
  }
  void unplug_all() {
    for (size_t i = 0; i < kUnits; ++i)
      inventory_->remove("/sys/devices/usb/s" + std::to_string(i));
    note();
  }
  /// Makes each unit unhealthy by the probe with this index, or by another fault if null. The
  /// reason ends with the number of the unit.
  void fail(std::optional<size_t> probe, const std::string& reason) {
    inventory::Healths healths(1);
    for (size_t i = 0; i < kUnits; ++i) {
      healths[0].push_back({false, reason + std::to_string(i), probe});
    }
    inventory_->offer();
    log_.note_list(inventory_->make_snapshots(loop_.now(), healths).resources.at(0).snapshot);
  }
};

TEST_F(ManyUnitsTest, UnitsThatChangeInOneListAreLoggedInOneLine) {
  EXPECT_THAT(take_log().back(), "unit offered unit=s0,s1,s2 units=2000");
  fail(1, "value ");
  loop_.advance(ChangeLog::kUnhealthyDelay);
  EXPECT_THAT(take_log(),
              ElementsAre("unit is unhealthy unit=s0,s1,s2 units=2000 reason=\"value 0\""));
  note();
  EXPECT_THAT(take_log(), ElementsAre("unit is healthy again unit=s0,s1,s2 units=2000 "
                                      "previous_reason=\"value 0\""));
  unplug_all();
  loop_.advance(1min);
  note();
  EXPECT_THAT(take_log(), ElementsAre("unit is unhealthy unit=s0,s1,s2 units=2000 "
                                      "reason=\"the device is gone\"",
                                      "unit dropped unit=s0,s1,s2 units=2000"));
}

TEST_F(ManyUnitsTest, EachCauseIsLoggedInOneLine) {
  take_log();
  inventory::Healths healths(1);
  for (size_t i = 0; i < kUnits; ++i) {
    const std::string number = std::to_string(i);
    healths[0].push_back(i % 4 == 0   ? inventory::Health{false, "value " + number, 0}
                         : i % 4 == 1 ? inventory::Health{false, "value " + number, 1}
                         : i % 4 == 2 ? inventory::Health{false, "/dev/" + number + " is busy"}
                                      : inventory::Health{false, "/dev/" + number + " is a file"});
  }
  inventory_->offer();
  log_.note_list(inventory_->make_snapshots(loop_.now(), healths).resources.at(0).snapshot);
  loop_.advance(ChangeLog::kUnhealthyDelay);
  EXPECT_THAT(take_log(), testing::UnorderedElementsAre(
                              "unit is unhealthy unit=s0,s4,s8 units=500 reason=\"value 0\"",
                              "unit is unhealthy unit=s1,s5,s9 units=500 reason=\"value 1\"",
                              "unit is unhealthy unit=s2,s6,s10 units=500 "
                              "reason=\"/dev/2 is busy\"",
                              "unit is unhealthy unit=s3,s7,s11 units=500 "
                              "reason=\"/dev/3 is a file\""));
}

TEST_F(ManyUnitsTest, RefusedDevicesWithSameCauseAreLoggedInOneLine) {
  inventory_ = std::make_unique<inventory::Inventory>(inventory::plan_of(
      "  - {name: a.io/serial, match: {subsystem: tty}, id: $(property.ID_SERIAL)}\n"));
  note();
  take_log();
  plug_all();
  const std::string log = testing::internal::GetCapturedStderr();
  testing::internal::CaptureStderr();
  EXPECT_THAT(log, testing::EndsWith(
                       "device refused resource=a.io/serial device=/sys/devices/usb/s0,"
                       "/sys/devices/usb/s1,/sys/devices/usb/s2 devices=2000 "
                       "reason=\"'$(property.ID_SERIAL)' needs $(property.ID_SERIAL), which the "
                       "device does not have\"\n"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
}

Strings ids_of(const std::vector<status::LostUnit>& lost) {
  Strings ids;
  for (const status::LostUnit& unit : lost) ids.push_back(unit.id);
  return ids;
}

TEST_F(ManyUnitsTest, RemembersOnlyMostRecentlyLostUnits) {
  unplug_all();
  EXPECT_EQ(log_.lost().size(), ChangeLog::kMaxLost);
  EXPECT_EQ(log_.lost().back().id, "s1999");
  take_log();
}

TEST_F(ChangeLogTest, RemembersLostUnitUntilItReturns) {
  start("1m");
  EXPECT_THAT(ids_of(log_.lost()), IsEmpty());
  is("no answer");
  EXPECT_THAT(ids_of(log_.lost()), IsEmpty()) << "an unhealthy unit is still there";
  is("");
  loop_.advance(10s);
  const loop::Time at = loop_.now();
  unplug();
  loop_.advance(1h);
  note();
  ASSERT_THAT(ids_of(log_.lost()), ElementsAre("a")) << "it left the list";
  EXPECT_EQ(log_.lost()[0].reason, "the device is gone");
  EXPECT_EQ(log_.lost()[0].since, at);
  plug();
  EXPECT_THAT(ids_of(log_.lost()), IsEmpty());
  take_log();
}

TEST_F(ChangeLogTest, RemembersLostUnitWithoutLinger) {
  start("0s");
  unplug();
  EXPECT_THAT(ids_of(log_.lost()), ElementsAre("a"));
  take_log();
}

TEST_F(ChangeLogTest, ForgetsLostUnitsAfterEdit) {
  start();
  unplug();
  EXPECT_THAT(ids_of(log_.lost()), ElementsAre("a"));
  inventory_ = std::make_unique<inventory::Inventory>(
      inventory::plan_of("  - {name: a.io/serial, match: {subsystem: usb}}\n"));
  note();
  EXPECT_THAT(ids_of(log_.lost()), IsEmpty());
  take_log();
}

TEST_F(ChangeLogTest, LogsDegradedRuleOnce) {
  inventory_ = std::make_unique<inventory::Inventory>(
      inventory::plan_of("  - {name: a.io/x, match: {glob: /srv/*}}\n"));
  testing::internal::CaptureStderr();
  note();
  take_log();
  const auto is_cut = [&](const std::string& why) {
    inventory_->set_pattern_truncation("/srv/*", why);
    note();
    note();
    std::string log = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return log;
  };
  const std::string log = is_cut("it leads too far");
  EXPECT_THAT(log, testing::EndsWith("rule is degraded resource=a.io/x pattern=/srv/* "
                                     "reason=\"it leads too far\"\n"));
  EXPECT_THAT(log, testing::HasSubstr("warning"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 1);
  EXPECT_EQ(is_cut(""), "");
  EXPECT_NE(is_cut("it leads too far"), "") << "it was whole in between";
}

TEST_F(ChangeLogTest, LogsPendingReasonsAtShutdown) {
  start();
  {
    ChangeLog ending(loop_, counters_);
    listed_ = nullptr;
    note_in(ending);
    reason_ = "no answer";
    note_in(ending);
    take_log();
  }
  EXPECT_THAT(take_log(), ElementsAre("unit is unhealthy unit=a reason=\"no answer\""));
}

}  // namespace
}  // namespace patchbay::daemon
