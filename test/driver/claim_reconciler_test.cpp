#include "driver/claim_reconciler.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "driver/claim_fixture.h"
#include "fake/manual_loop.h"

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A node with one prepared ResourceClaim, "lab/disk" with the uid "a".
class ClaimReconcilerTest : public testing::Test {
 protected:
  ClaimReconcilerTest() { reconciler_.start(); }

  void next_check() { loop_.advance(ClaimReconciler::kPeriod); }
  /// Its device, as a Pod has it.
  [[nodiscard]] pods::PodClaimDevice in_pod() const {
    return {.claim_namespace = "lab",
            .claim = "disk",
            .driver = record_.driver,
            .pool = "node-1",
            .device = record_.devices.at(0).device};
  }
  static Error not_found() { return {"not found", 404}; }

  ClaimRecord record_ = prepared({disk("r", "zram0")}, "a");
  bool has_record_ = true;
  Result<std::vector<pods::PodClaimDevice>> pods_;
  Result<Json> claim_ = std::unexpected(not_found());
  int checks_ = 0;
  std::vector<std::string> gets_;
  std::vector<std::string> released_;
  fake::ManualLoop loop_;
  ClaimReconciler reconciler_{
      loop_,
      ClaimReconciler::kPeriod,
      {.records =
           [this] {
             return has_record_ ? std::vector<const ClaimRecord*>{&record_}
                                : std::vector<const ClaimRecord*>{};
           },
       .list_pods = [this](auto done) { done(pods_); },
       .get_claim =
           [this](const ResourceClaimName& claim, KubeClient::GotClaim done) {
             gets_.push_back(claim.namespace_name + "/" + claim.name);
             done(claim_);
           },
       .release =
           [this](const ResourceClaimName& claim) {
             released_.push_back(claim.driver + " " + claim.uid);
           },
       .checking = [this] { ++checks_; }}};
};

TEST_F(ClaimReconcilerTest, ReleasesAfterTwoChecksWithoutClaimAndPod) {
  EXPECT_THAT(gets_, ElementsAre("lab/disk")) << "at the start";
  EXPECT_THAT(released_, IsEmpty());
  loop_.advance(ClaimReconciler::kPeriod - loop::Milliseconds(1));
  EXPECT_THAT(released_, IsEmpty());
  loop_.advance(loop::Milliseconds(1));
  EXPECT_THAT(released_, ElementsAre("patchbay.lab.example.com a"));
  EXPECT_EQ(checks_, 2);
}

TEST_F(ClaimReconcilerTest, PodWithTheDevicePreventsIt) {
  pods_->push_back(in_pod());
  next_check();
  next_check();
  EXPECT_THAT(released_, IsEmpty());
  pods_->clear();
  next_check();
  EXPECT_THAT(released_, IsEmpty()) << "the first check without the Pod";
  next_check();
  EXPECT_EQ(released_.size(), 1U);
}

TEST_F(ClaimReconcilerTest, OtherDeviceOfTheSameNameDoesNot) {
  for (auto pods::PodClaimDevice::*field :
       {&pods::PodClaimDevice::claim_namespace, &pods::PodClaimDevice::claim,
        &pods::PodClaimDevice::driver, &pods::PodClaimDevice::pool,
        &pods::PodClaimDevice::device}) {
    pods::PodClaimDevice other = in_pod();
    other.*field = "other";
    pods_->push_back(other);
  }
  next_check();
  EXPECT_EQ(released_.size(), 1U);
}

TEST_F(ClaimReconcilerTest, ResourceClaimWithTheUidPreventsIt) {
  claim_ = Json{{"metadata", {{"uid", "a"}}}};
  next_check();
  next_check();
  EXPECT_THAT(released_, IsEmpty());
}

TEST_F(ClaimReconcilerTest, ResourceClaimWithAnotherUidDoesNot) {
  claim_ = Json{{"metadata", {{"uid", "b"}}}};
  next_check();
  next_check();
  EXPECT_EQ(released_.size(), 1U);
}

TEST_F(ClaimReconcilerTest, WithoutAnAnswerTheCountStartsAgain) {
  claim_ = fail("timed out");
  next_check();
  claim_ = std::unexpected(not_found());
  next_check();
  pods_ = fail("no socket");
  next_check();
  pods_ = {};
  next_check();
  EXPECT_THAT(released_, IsEmpty());
  next_check();
  EXPECT_EQ(released_.size(), 1U);
}

TEST_F(ClaimReconcilerTest, CallOfTheKubeletStartsTheCountAgain) {
  reconciler_.note_call("a");
  next_check();
  EXPECT_THAT(released_, IsEmpty());
  next_check();
  EXPECT_EQ(released_.size(), 1U);
}

TEST_F(ClaimReconcilerTest, WithoutARecordNothingIsAsked) {
  has_record_ = false;
  gets_.clear();
  checks_ = 0;
  next_check();
  EXPECT_EQ(checks_, 0);
  EXPECT_THAT(gets_, IsEmpty());
}

}  // namespace
}  // namespace patchbay::driver
