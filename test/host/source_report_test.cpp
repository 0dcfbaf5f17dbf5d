#include "host/source_report.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "host/start.h"

namespace patchbay::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SourceReportTest : public testing::Test {
 protected:
  std::vector<std::string> logged;
  SourceReport report{[this](log::Level level, const std::string& message) {
    logged.push_back((level == log::Level::warning ? "warning: " : "info: ") + message);
  }};
};

TEST_F(SourceReportTest, LogsAMissingUdevdOnce) {
  report.started(false);
  report.started(false);
  EXPECT_THAT(logged, ElementsAre("info: no udev daemon: using kernel events directly"));
}

TEST_F(SourceReportTest, LogsNothingWhenUdevEventsArrive) {
  report.started(true);
  report.database_record(kStart);
  report.udev_message(kStart);
  report.check(kStart + milliseconds(1000));
  EXPECT_FALSE(report.is_udevd_unreachable(kStart + milliseconds(900)));
  EXPECT_THAT(logged, IsEmpty());
}

TEST_F(SourceReportTest, LogsOnceThatOnlyDatabaseRecordsArrive) {
  report.started(true);
  report.database_record(kStart);
  EXPECT_EQ(report.next_check(), kStart + milliseconds(1000));
  report.check(kStart + milliseconds(999));
  EXPECT_THAT(logged, IsEmpty());
  report.check(kStart + milliseconds(1000));
  EXPECT_THAT(
      logged,
      ElementsAre(
          "info: udev events do not reach this network namespace: following the udev database"));
  report.database_record(kStart + milliseconds(5000));
  EXPECT_EQ(report.next_check(), std::nullopt);
  EXPECT_THAT(logged, testing::SizeIs(1));
}

TEST_F(SourceReportTest, WarnsOnceWhenUdevdSendsNothing) {
  report.started(true);
  EXPECT_TRUE(report.is_udevd_unreachable(kStart));
  EXPECT_TRUE(report.is_udevd_unreachable(kStart));
  EXPECT_THAT(logged, ElementsAre(HasSubstr("warning: udevd seems to run")));
}

TEST_F(SourceReportTest, ChangeOfQueueCountsAsActivityOfUdevd) {
  report.started(true);
  report.udevd_activity(kStart);
  EXPECT_FALSE(report.is_udevd_unreachable(kStart + milliseconds(999)));
  EXPECT_THAT(logged, IsEmpty());
}

TEST_F(SourceReportTest, DoesNotWaitForAKilledUdevd) {
  report.started(true);
  report.udev_message(kStart);
  EXPECT_TRUE(report.is_udevd_unreachable(kStart + milliseconds(1000)));
  EXPECT_THAT(logged, IsEmpty()) << "it was heard: its messages do reach this process";
}

TEST_F(SourceReportTest, ReopenedMonitorHasReceivedNoUdevEvent) {
  report.udev_message(kStart);
  EXPECT_TRUE(report.received_udev_event());
  report.monitor_opened();
  EXPECT_FALSE(report.received_udev_event());
}

}  // namespace
}  // namespace patchbay::host
