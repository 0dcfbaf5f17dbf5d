// Tests the release of ResourceClaims by ClaimPreparer.
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "driver/claim_preparer_fixture.h"

namespace patchbay::driver {
namespace {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

/// A resource with a step of `release`, and a device that stays plugged in.
class ReleaseTest : public ClaimPreparerTest {
 protected:
  ReleaseTest() {
    auto resource = std::make_shared<rules::ResourcePlan>(*plan_->resources.at(0));
    resource->groups[0].release = resource->groups[0].pre_start;
    resource->release_timeout = 5min;
    auto plan = std::make_shared<rules::Plan>(*plan_);
    plan->resources = {resource};
    plan_ = plan;
    sys_ = dir_ / "usb/";
    dir_.write("usb/ttyA", "");
    dir_.write("usb/ttyB", "");
    plug({{"ttyA", "S1"}, {"ttyB", "S2"}});
  }
  [[nodiscard]] std::string phase(const std::string& uid) const {
    const std::string text = record(uid);
    return text.substr(0, text.find(' '));
  }
  const std::string failure_ = "device " + dra_name("S1") + ": wipe: exit code 1";
};

TEST_F(ReleaseTest, StepsRunBeforeSpecAndRecordAreRemoved) {
  prepare("a", {"S1"});
  const auto answer = begin_unprepare("a");
  EXPECT_EQ(phase("a"), "releasing");
  EXPECT_EQ(spec("a"), "/dev/ttyA UART=/dev/ttyA");
  EXPECT_THAT(devices(), ElementsAre(dra_name("S1")));
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"));
  EXPECT_EQ(*answer, "");
  end_steps();
  EXPECT_EQ(*answer, "ok");
  EXPECT_EQ(record("a"), "none");
  EXPECT_EQ(spec("a"), "none");
  EXPECT_THAT(devices(), IsEmpty());
}

TEST_F(ReleaseTest, DevicesAreReleasedOneAfterAnother) {
  prepare("a", {"S1", "S2"});
  const auto answer = begin_unprepare("a");
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"));
  end_steps();
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyB"));
  end_steps();
  EXPECT_EQ(*answer, "ok");
}

TEST_F(ReleaseTest, FailedStepIsTheAnswerAndTheNextCallRunsTheStepsAgain) {
  prepare("a", {"S1"});
  const auto failed = begin_unprepare("a");
  end_steps(fail("wipe: exit code 1"));
  EXPECT_EQ(*failed, "release: " + failure_);
  EXPECT_EQ(phase("a"), "releasing");
  const auto answer = begin_unprepare("a");
  end_steps();
  EXPECT_EQ(*answer, "ok");
  EXPECT_EQ(record("a"), "none");
}

TEST_F(ReleaseTest, PrepareDuringAReleaseIsAnError) {
  prepare("a", {"S1"});
  begin_unprepare("a");
  end_steps(fail("wipe: exit code 1"));
  EXPECT_EQ(*begin("a"),
            "ResourceClaim lab/a: its devices are being released; the kubelet calls again");
}

TEST_F(ReleaseTest, DeviceOfAReleaseIsNotGivenAway) {
  prepare("a", {"S1"});
  begin_unprepare("a");
  end_steps(fail("wipe: exit code 1"));
  const auto answer = begin("b");
  got("b", allocated("b", {"S1"}));
  EXPECT_THAT(*answer, testing::HasSubstr("in use by ResourceClaim lab/a"));
}

TEST_F(ReleaseTest, AfterTheTimeoutTheCallSucceedsAndTheReleaseIsRepeatedEachMinute) {
  prepare("a", {"S1"});
  begin_unprepare("a");
  end_steps(fail("wipe: exit code 1"));
  now_ += 5min;
  const auto late = begin_unprepare("a");
  end_steps(fail("wipe: exit code 1"));
  EXPECT_EQ(*late, "ok");
  EXPECT_EQ(phase("a"), "releaseFailed");
  EXPECT_EQ(spec("a"), "none");
  EXPECT_THAT(devices(), IsEmpty()) << "the scheduler must not choose it";
  EXPECT_EQ(preparer_->stored().records.at("a").failure, failure_);
  EXPECT_EQ(*begin("a"), "ResourceClaim lab/a: its devices cannot be released (" + failure_ +
                             "); repair the cause, then delete the Pod and create it again");
  EXPECT_EQ(unprepare("a"), "ok");
  steps_.take_started();

  loop_.advance(59s);
  EXPECT_FALSE(steps_.running());
  loop_.advance(1s);
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"));
  end_steps(fail("wipe: exit code 2"));
  EXPECT_EQ(phase("a"), "releaseFailed");
  boot("boot-1");
  loop_.advance(60s);
  end_steps();
  EXPECT_EQ(record("a"), "none");
  loop_.advance(60s);
  EXPECT_FALSE(steps_.running());
}

TEST_F(ReleaseTest, FailedStepOfAnUnpluggedDeviceCountsAsDone) {
  prepare("a", {"S1", "S2"});
  std::filesystem::remove(dir_ / "usb/ttyA");
  const auto answer = begin_unprepare("a");
  end_steps(fail("cannot open it"));
  EXPECT_EQ(*answer, "");
  end_steps();
  EXPECT_EQ(*answer, "ok");
}

TEST_F(ReleaseTest, CrashInStepsRepeatsThem) {
  prepare("a", {"S1"});
  begin_unprepare("a");
  steps_.take_started();
  boot("boot-1");
  plug({});
  EXPECT_EQ(phase("a"), "releasing");
  const auto answer = begin_unprepare("a");
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"))
      << "they do not depend on the configuration";
  end_steps();
  EXPECT_EQ(*answer, "ok");
}

TEST_F(ReleaseTest, UnprepareOfAnInterruptedPrepareRunsSteps) {
  begin_steps("a", {"S1"});
  preparer_->stop_preparing("a");
  steps_.take_started();
  const auto answer = begin_unprepare("a");
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"));
  end_steps();
  EXPECT_EQ(*answer, "ok");
}

/// The adapters have swapped their numbers.
TEST_F(ReleaseTest, AfterARebootStepsGetTheCurrentNode) {
  prepare("a", {"S1"});
  plug({{"ttyA", "S2"}, {"ttyB", "S1"}});
  boot("boot-2");
  is_missing_ = true;
  EXPECT_EQ(unprepare("a"), "device " + dra_name("S1") +
                                ": the devices of 'a.io/uart' are not known yet; the kubelet calls "
                                "again");
  is_missing_ = false;
  const auto answer = begin_unprepare("a");
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyB"));
  end_steps();
  EXPECT_EQ(*answer, "ok");
}

TEST_F(ReleaseTest, AfterARebootAnAbsentDeviceHasNoSteps) {
  prepare("a", {"S1"});
  plug({{"ttyA", "S2"}});
  boot("boot-2");
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_THAT(steps_.take_started(), IsEmpty());
  EXPECT_EQ(record("a"), "none");
}

TEST_F(ReleaseTest, OtherDriversAreLeftAlone) {
  prepare("a", {"S1"});
  preparer_->set_served({"other.lab.io"});
  plug({{"ttyC", "S1"}});
  preparer_->follow(kUart);
  loop_.run_ready();
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyA /dev/ttyA");
  ResourceClaimName name = named("a");
  name.driver = "other.lab.io";
  const auto answer = std::make_shared<std::string>();
  preparer_->unprepare(name, to(answer));
  EXPECT_EQ(*answer, "ok");
  EXPECT_EQ(phase("a"), "prepared");
}

}  // namespace
}  // namespace patchbay::driver
