#include "daemon/change_log.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "base/log.h"
#include "fake/manual_loop.h"
#include "inventory/bench.h"

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
    said();
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
  void note() { log_.note(resolve()); }
  /// The lines since the last call, from the message on, without the resource and the device.
  Strings said() {
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
  std::string reason_;  ///< Why all units are unhealthy; empty: they are healthy.
  std::shared_ptr<status::ResourceCounters> counters_ =
      std::make_shared<status::ResourceCounters>();
  ChangeLog log_{loop_, counters_};
};

TEST_F(ChangeLogTest, WarnsOnceOfUnitsWithEmptyAllocation) {
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
  // The only unit of this cause changes in another way.
  is("no answer");
  is("");
  const auto lines = said();
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
  said();
}

TEST_F(ChangeLogTest, LogsOneReasonForUnpluggedDevice) {
  start();
  is("/dev/a does not exist");
  loop_.advance(3ms);
  unplug();
  EXPECT_THAT(said(), IsEmpty());
  loop_.advance(ChangeLog::kUnhealthyDelay);
  EXPECT_THAT(said(), ElementsAre("unit is unhealthy unit=a reason=\"the device is gone\""));
  loop_.advance(1h);
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(ChangeLogTest, LogsLaterReason) {
  start();
  is("no answer");
  loop_.advance(ChangeLog::kUnhealthyDelay);
  is("no answer; /dev/a does not exist");
  loop_.advance(ChangeLog::kUnhealthyDelay);
  EXPECT_THAT(said(), ElementsAre("unit is unhealthy unit=a reason=\"no answer\"",
                                  "unit is unhealthy unit=a reason=\"no answer; /dev/a does not "
                                  "exist\""));
}

TEST_F(ChangeLogTest, LogsBrieflyUnhealthyUnit) {
  start();
  is("no answer");
  is("");
  EXPECT_THAT(said(), ElementsAre("unit is unhealthy unit=a reason=\"no answer\"",
                                  "unit is healthy again unit=a previous_reason=\"no answer\""));
}

TEST_F(ChangeLogTest, LogsReasonBeforeUnitIsDropped) {
  start("0s");
  is("/dev/a does not exist");
  unplug();
  EXPECT_THAT(said(), ElementsAre("unit is unhealthy unit=a reason=\"/dev/a does not exist\"",
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
  said();
}

TEST_F(ChangeLogTest, CountsALossWithoutLinger) {
  start("0s");
  unplug();
  EXPECT_EQ(counters_->units_lost.value(), 1);
  said();
}

TEST_F(ChangeLogTest, DoesNotCountUnitsRemovedByEdit) {
  start();
  inventory_ = std::make_unique<inventory::Inventory>(
      inventory::plan_of("  - {name: a.io/serial, match: {subsystem: usb}}\n"));
  note();
  EXPECT_EQ(counters_->units_lost.value(), 0);
  said();
}

TEST_F(ChangeLogTest, LogsDegradedRuleOnce) {
  inventory_ = std::make_unique<inventory::Inventory>(
      inventory::plan_of("  - {name: a.io/x, match: {glob: /srv/*}}\n"));
  testing::internal::CaptureStderr();
  note();
  said();
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
    ending.note(resolve());
    reason_ = "no answer";
    ending.note(resolve());
    said();
  }
  EXPECT_THAT(said(), ElementsAre("unit is unhealthy unit=a reason=\"no answer\""));
}

}  // namespace
}  // namespace patchbay::daemon
