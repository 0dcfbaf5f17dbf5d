#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "driver/claim_preparer.h"
#include "driver/claim_preparer_fixture.h"

namespace patchbay::driver {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""s;
using testing::IsEmpty;

/// Lists of units that change while ResourceClaims have them.
class FollowUnitsTest : public ClaimPreparerTest {};

TEST_F(FollowUnitsTest, ReplugChangesRecordAndSpec) {
  prepare("a", {"S1"});
  plug_and_follow({{"ttyB", "S2"}});
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyA /dev/ttyA");
  EXPECT_EQ(spec("a"), "/dev/ttyA UART=/dev/ttyA");
  plug_and_follow({{"ttyB", "S2"}, {"ttyC", "S1"}});
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyC /dev/ttyC");
  EXPECT_EQ(spec("a"), "/dev/ttyC UART=/dev/ttyC");
  EXPECT_THAT(steps_.take_started(), IsEmpty());
  // Another ResourceClaim can have the former number.
  plug({{"ttyA", "S3"}});
  prepare("b", {"S3"});
}

TEST_F(FollowUnitsTest, ListWithoutChange_RestoresTheSpecAndKeepsTheRecord) {
  prepare("a", {"S1"});
  fs::remove(spec_path("a"));
  const auto written = fs::last_write_time(record_path("a"));
  fs::last_write_time(record_path("a"), written - 1h);
  preparer_->follow(kUart);
  loop_.run_ready();
  EXPECT_EQ(spec("a"), "/dev/ttyA UART=/dev/ttyA");
  EXPECT_EQ(fs::last_write_time(record_path("a")), written - 1h);
}

/// Their containers do not run, and the next Prepare finds the units.
TEST_F(FollowUnitsTest, RecordOfAnEarlierBoot_DoesNotFollow) {
  prepare("a", {"S1"});
  boot("boot-2");
  plug_and_follow({{"ttyC", "S1"}});
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyA /dev/ttyA");
}

TEST_F(FollowUnitsTest, ReplugDuringPrepare_IsFollowedAfterIt) {
  const auto answer = begin_steps("a", {"S1"});
  plug_and_follow({{"ttyC", "S1"}});
  end_steps();
  EXPECT_TRUE(answer->starts_with("ok ")) << *answer;
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyC /dev/ttyC");
  EXPECT_EQ(spec("a"), "/dev/ttyC UART=/dev/ttyC");
}

/// Both write the same files.
TEST_F(FollowUnitsTest, UnprepareDuringAReplug_Waits) {
  prepare("a", {"S1"});
  plug({{"ttyC", "S1"}});
  work_.hang();
  preparer_->follow(kUart);
  const auto answer = std::make_shared<std::string>();
  preparer_->unprepare(named("a"), to(answer));
  loop_.run_ready();
  EXPECT_EQ(*answer, "");
  loop_.advance(10s);
  EXPECT_EQ(*answer, "the directory of ResourceClaims or CDI specs does not respond");
  work_.let_go();
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_EQ(record("a"), "none");
  EXPECT_EQ(spec("a"), "none");
}

TEST_F(FollowUnitsTest, HungDirectoryAtAReplug_KeepsTheLastEdits) {
  prepare("a", {"S1"});
  plug({{"ttyC", "S1"}});
  work_.hang();
  preparer_->follow(kUart);
  loop_.advance(10s);
  work_.let_go();
  EXPECT_TRUE((*begin("a")).starts_with("ok "));
}

}  // namespace
}  // namespace patchbay::driver
