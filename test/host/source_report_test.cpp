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
  std::vector<std::string> said;
  SourceReport report{[this](log::Level level, const std::string& message) {
    said.push_back((level == log::Level::warning ? "warning: " : "info: ") + message);
  }};
};

TEST_F(SourceReportTest, SaysOnceThatThereIsNoUdevd) {
  report.started(false);
  report.started(false);
  EXPECT_THAT(said, ElementsAre("info: no udev daemon: kernel events are used as they are"));
}

TEST_F(SourceReportTest, IsSilentWhereUdevIsHeard) {
  report.started(true);
  report.database_record(kStart);
  report.udev_message(kStart);
  report.check(kStart + milliseconds(1000));
  EXPECT_FALSE(report.is_udevd_unreachable(kStart + milliseconds(900)));
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(SourceReportTest, RecordsWithoutMessagesAreInformationGivenOnce) {
  report.started(true);
  report.database_record(kStart);
  EXPECT_EQ(report.next_check(), kStart + milliseconds(1000));
  report.check(kStart + milliseconds(999));
  EXPECT_THAT(said, IsEmpty());
  report.check(kStart + milliseconds(1000));
  EXPECT_THAT(said,
              ElementsAre("info: udev's messages do not reach this namespace, its database does"));
  report.database_record(kStart + milliseconds(5000));
  EXPECT_EQ(report.next_check(), std::nullopt);
  EXPECT_THAT(said, testing::SizeIs(1));
}

TEST_F(SourceReportTest, SilenceOfAllIsAWarningGivenOnce) {
  report.started(true);
  EXPECT_TRUE(report.is_udevd_unreachable(kStart));
  EXPECT_TRUE(report.is_udevd_unreachable(kStart));
  EXPECT_THAT(said, ElementsAre(HasSubstr("warning: udevd seems to run")));
}

TEST_F(SourceReportTest, AMovingQueueIsNoSilence) {
  report.started(true);
  report.udevd_activity(kStart);
  EXPECT_FALSE(report.is_udevd_unreachable(kStart + milliseconds(999)));
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(SourceReportTest, AUdevdThatDiedIsNotWaitedForAnyMore) {
  report.started(true);
  report.udev_message(kStart);
  EXPECT_TRUE(report.is_udevd_unreachable(kStart + milliseconds(1000)));
  EXPECT_THAT(said, IsEmpty()) << "it was heard: its messages do reach this process";
}

TEST_F(SourceReportTest, AReopenedMonitorHasToBeHeardAgain) {
  report.udev_message(kStart);
  EXPECT_TRUE(report.received_udev_event());
  report.monitor_opened();
  EXPECT_FALSE(report.received_udev_event());
}

}  // namespace
}  // namespace patchbay::host
