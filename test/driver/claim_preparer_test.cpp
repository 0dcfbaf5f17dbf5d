#include "driver/claim_preparer.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "driver/claim_preparer_fixture.h"

namespace patchbay::driver {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

// Without a record.

TEST_F(ClaimPreparerTest, Prepare_StoresTheRecordBeforeStepsAndTheSpecAfterThem) {
  const auto answer = begin("a");
  EXPECT_EQ(*answer, "");
  got("a", allocated("a", {"S1"}));
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"));
  EXPECT_EQ(record("a"), "preparing boot-1 /dev/ttyA /dev/ttyA");
  EXPECT_EQ(spec("a"), "none");
  EXPECT_EQ(*answer, "");
  end_steps();
  EXPECT_EQ(*answer, "ok r0:node-1/" + dra_name("S1") + " dra.lab.io/claim=a-r0_" + dra_name("S1") +
                         " dra.lab.io/claim=a-r0");
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyA /dev/ttyA");
  EXPECT_EQ(spec("a"), "/dev/ttyA UART=/dev/ttyA");
  EXPECT_THAT(devices(), ElementsAre(dra_name("S1")));
}

TEST_F(ClaimPreparerTest, UnprepareWithoutARecord_Succeeds) {
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_FALSE(fs::exists(claims_));
}

TEST_F(ClaimPreparerTest, ErrorOfTheApiServer_IsTheAnswer) {
  const auto answer = begin("a");
  got("a", fail("ResourceClaim lab/a: not found"));
  EXPECT_EQ(*answer, "ResourceClaim lab/a: not found");
  EXPECT_EQ(record("a"), "none");
}

TEST_F(ClaimPreparerTest, ResourceClaimThatMustNotBePrepared_IsAnError) {
  const auto answer_to = [this](const Json& claim) {
    const auto answer = begin("a");
    got("a", claim);
    return *answer;
  };
  Json claim = allocated("a", {"S1"});
  claim["metadata"]["uid"] = "b";
  EXPECT_EQ(answer_to(claim),
            "ResourceClaim lab/a: replaced by another ResourceClaim of this name; delete the Pod "
            "and create it again");
  claim = allocated("a", {"S1"});
  claim["status"]["reservedFor"] = Json::array();
  EXPECT_EQ(answer_to(claim),
            "ResourceClaim lab/a: reserved for no Pod; delete the Pod and create it again");
  EXPECT_EQ(answer_to(allocated("a", {"S1", "S9"})), "device " + dra_name("S9") + ": unknown");
  EXPECT_EQ(record("a"), "none");
  EXPECT_THAT(devices(), IsEmpty());
}

// With an unfinished record.

TEST_F(ClaimPreparerTest, PrepareAfterFailedSteps_RunsThemAgainWithoutARequest) {
  const auto failed = begin_steps("a", {"S1"});
  end_steps(fail("step 1: broken"));
  EXPECT_EQ(*failed, "step 1: broken");
  EXPECT_EQ(record("a"), "preparing boot-1 /dev/ttyA /dev/ttyA");
  steps_.take_started();
  plug({{"ttyC", "S1"}});
  const auto answer = begin("a");
  EXPECT_THAT(gets_, IsEmpty());
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyC"));
  end_steps();
  EXPECT_EQ(spec("a"), "/dev/ttyC UART=/dev/ttyC");
}

TEST_F(ClaimPreparerTest, PrepareAfterACrashInSteps_RunsThemAgain) {
  begin_steps("a", {"S1"});
  steps_.take_started();
  boot("boot-1");
  EXPECT_FALSE(steps_.running()) << "steps outlive their owner";
  const auto answer = begin("a");
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyA"));
  end_steps();
  EXPECT_TRUE(answer->starts_with("ok ")) << *answer;
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyA /dev/ttyA");
}

TEST_F(ClaimPreparerTest, UnprepareAfterFailedSteps_RemovesTheRecord) {
  begin_steps("a", {"S1"});
  end_steps(fail("broken"));
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_EQ(record("a"), "none");
  EXPECT_THAT(devices(), IsEmpty());
}

TEST_F(ClaimPreparerTest, StopEndsStepsThatWait) {
  const auto answer = begin_steps("a", {"S1"});
  preparer_->stop_preparing("a");
  EXPECT_EQ(*answer, "stopped: the Pod was deleted");
  EXPECT_FALSE(steps_.running());
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_EQ(record("a"), "none");
}

TEST_F(ClaimPreparerTest, StopBeforeSteps_PreventsThem) {
  const auto answer = begin("a");
  preparer_->stop_preparing("a");
  got("a", allocated("a", {"S1"}));
  EXPECT_EQ(*answer, "stopped: the Pod was deleted");
  EXPECT_THAT(steps_.take_started(), IsEmpty());
}

// With a prepared one.

TEST_F(ClaimPreparerTest, PrepareAgain_AnswersFromTheRecordAndRestoresTheSpec) {
  prepare("a", {"S1"});
  fs::remove(spec_path("a"));
  boot("boot-1");
  plug({});
  const auto answer = begin("a");
  EXPECT_EQ(*answer, "ok r0:node-1/" + dra_name("S1") + " dra.lab.io/claim=a-r0_" + dra_name("S1") +
                         " dra.lab.io/claim=a-r0");
  EXPECT_EQ(spec("a"), "/dev/ttyA UART=/dev/ttyA");
  EXPECT_THAT(gets_, IsEmpty());
  EXPECT_THAT(steps_.take_started(), IsEmpty());
}

TEST_F(ClaimPreparerTest, Unprepare_RemovesSpecAndRecord) {
  prepare("a", {"S1"});
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_EQ(record("a"), "none");
  EXPECT_EQ(spec("a"), "none");
  EXPECT_THAT(devices(), IsEmpty());
  EXPECT_EQ(unprepare("a"), "ok");
}

// With one of an earlier boot.

/// The adapters have swapped their numbers.
TEST_F(ClaimPreparerTest, PrepareAfterAReboot_GivesTheNewNodesAndRunsSteps) {
  prepare("a", {"S1"});
  prepare("b", {"S2"});
  fs::remove_all(cdi_);
  plug({{"ttyA", "S2"}, {"ttyB", "S1"}});
  boot("boot-2");
  EXPECT_THAT(devices(), ElementsAre(dra_name("S1"), dra_name("S2")));
  const auto answer = begin("a");
  EXPECT_THAT(gets_, IsEmpty());
  EXPECT_THAT(steps_.take_started(), ElementsAre("/sys/reset=/dev/ttyB"));
  EXPECT_EQ(record("a"), "preparing boot-2 /dev/ttyB /dev/ttyB");
  end_steps();
  EXPECT_TRUE(answer->starts_with("ok ")) << *answer;
  EXPECT_EQ(record("a"), "prepared boot-2 /dev/ttyB /dev/ttyB");
  EXPECT_EQ(spec("a"), "/dev/ttyB UART=/dev/ttyB");
  begin("b");
  end_steps();
  EXPECT_EQ(spec("b"), "/dev/ttyA UART=/dev/ttyA");
}

TEST_F(ClaimPreparerTest, PrepareAfterARebootWithoutTheDevice_IsAnError) {
  prepare("a", {"S1"});
  plug({{"ttyA", "S2"}});
  boot("boot-2");
  EXPECT_EQ(*begin("a"), "device " + dra_name("S1") +
                             ": gone (the resource 'a.io/uart' has no unit 'S1'); plug it in, or "
                             "delete the Pod");
  EXPECT_EQ(record("a"), "prepared boot-1 /dev/ttyA /dev/ttyA");
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_EQ(record("a"), "none");
}

// With one that cannot be read.

TEST_F(ClaimPreparerTest, UnreadableRecord_FailsUntilItIsUnprepared) {
  dir_.write("claims/a.json", "{");
  boot("boot-1");
  const auto answer = begin("a");
  EXPECT_TRUE(answer->starts_with("state of a ResourceClaim " + record_path("a") + ": malformed"))
      << *answer;
  EXPECT_EQ(unprepare("a"), "ok");
  begin("a");
  EXPECT_EQ(gets_.count("a"), 1U);
}

TEST_F(ClaimPreparerTest, UnreadableRecordWithoutASpec_FailsNewOnesUntilItIsRemovedByHand) {
  prepare("b", {"S2"});
  dir_.write("claims/a.json", "{");
  boot("boot-1");
  const auto failed = begin("c");
  got("c", allocated("c", {"S1"}));
  EXPECT_THAT(*failed, AllOf(testing::StartsWith("a device may be in use: state of a "
                                                 "ResourceClaim " +
                                                 record_path("a")),
                             testing::EndsWith("or run rm " + record_path("a") +
                                               ", and its CDI spec is gone")));
  EXPECT_TRUE(begin("b")->starts_with("ok "));
  fs::remove(record_path("a"));
  begin("c");
  got("c", allocated("c", {"S1"}));
  const auto answer = begin("c");
  got("c", allocated("c", {"S1"}));
  end_steps();
  EXPECT_TRUE(answer->starts_with("ok ")) << *answer;
}

// Several ResourceClaims.

TEST_F(ClaimPreparerTest, DeviceGoesToOneOfTwoResourceClaimsAtOnce) {
  const auto first = begin("a");
  const auto second = begin("b");
  auto get_b = gets_.extract("b");
  gets_.extract("a").mapped()(allocated("a", {"S1"}));
  get_b.mapped()(allocated("b", {"S1"}));
  loop_.run_ready();
  EXPECT_EQ(*second, "device " + dra_name("S1") +
                         " (/sys/devices/usb/ttyA): in use by ResourceClaim lab/a, as " +
                         dra_name("S1") + "; delete the Pods that use that ResourceClaim");
  EXPECT_EQ(record("b"), "none");
  end_steps();
  EXPECT_TRUE(first->starts_with("ok ")) << *first;
}

TEST_F(ClaimPreparerTest, AdministrativeAccess_RunsNoStepAndOccupiesNothing) {
  const auto admin = begin("a");
  got("a", allocated("a", {"S1"}, true));
  EXPECT_TRUE(admin->starts_with("ok ")) << *admin;
  EXPECT_THAT(steps_.take_started(), IsEmpty());
  EXPECT_EQ(spec("a"), "/dev/ttyA UART=/dev/ttyA");
  prepare("b", {"S1"});
  EXPECT_THAT(devices(), ElementsAre(dra_name("S1"), dra_name("S1")));
}

TEST_F(ClaimPreparerTest, RecordsOfAnotherDriver_OccupyButAreNotPublished) {
  prepare("a", {"S1"});
  std::string text = fake::read_text(record_path("a"));
  text.replace(text.find(kLabDriver), std::string(kLabDriver).size(), "old.lab.io");
  dir_.write("claims/a.json", text);
  boot("boot-1");
  EXPECT_THAT(devices(), IsEmpty());
  const auto answer = begin("b");
  got("b", allocated("b", {"S1"}));
  EXPECT_THAT(*answer, testing::HasSubstr("in use by ResourceClaim lab/a"));
}

// A directory that does not respond.

TEST_F(ClaimPreparerTest, HungDirectory_FailsTheCallAndLaterOnes) {
  prepare("a", {"S1"});
  work_.hang();
  const auto late = std::make_shared<std::string>();
  preparer_->unprepare(named("a"), to(late));
  loop_.advance(10s);
  const std::string text = "the directory of ResourceClaims or CDI specs does not respond";
  EXPECT_EQ(*late, text);
  EXPECT_EQ(*begin("a"), text);
  work_.let_go();
  EXPECT_EQ(unprepare("a"), "ok");
  EXPECT_EQ(record("a"), "none");
}

TEST_F(ClaimPreparerTest, HungDirectoryAtStart_IsReported) {
  work_.hang();
  std::string reason;
  preparer_->load([&](const Result<void>& loaded) { reason = loaded.error().message; });
  loop_.advance(10s);
  EXPECT_EQ(reason, "the directory of ResourceClaims or CDI specs does not respond");
}

}  // namespace
}  // namespace patchbay::driver
