#include "driver/call_queue.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/scripted_handler.h"

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ResourceClaimName named(const std::string& uid) {
  return {.driver = "d", .uid = uid, .namespace_name = "lab", .name = "claim-" + uid};
}

class CallQueueTest : public testing::Test {
 protected:
  /// Adds a call. Its answer is recorded as "NAME uid=ok, uid=error text".
  void add(const std::string& name, CallKind kind, const std::vector<std::string>& uids) {
    std::vector<ResourceClaimName> claims;
    for (const std::string& uid : uids) claims.push_back(named(uid));
    queue_->add(kind, claims, [this, name](const ClaimOutcomes& outcomes) {
      std::string text = name;
      for (const auto& [uid, outcome] : outcomes) {
        text += " " + uid + "=" + (outcome ? "ok" : outcome.error().message);
      }
      answers_.push_back(text);
    });
  }
  void prepare(const std::string& name, const std::vector<std::string>& uids) {
    add(name, CallKind::prepare, uids);
  }
  void unprepare(const std::string& name, const std::vector<std::string>& uids) {
    add(name, CallKind::unprepare, uids);
  }

  ScriptedHandler handler_;
  std::vector<std::string> ended_;
  std::optional<CallQueue> queue_{std::in_place, handler_,
                                  [this](const std::string& uid) { ended_.push_back(uid); }};
  std::vector<std::string> answers_;
};

TEST_F(CallQueueTest, ResourceClaimsOfOneCallRunInParallel) {
  prepare("first", {"a", "b"});
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a", "prepare b lab/claim-b"));
  handler_.end("b", fail("no device"));
  EXPECT_THAT(answers_, IsEmpty());
  handler_.end("a");
  EXPECT_THAT(answers_, ElementsAre("first a=ok b=no device"));
}

TEST_F(CallQueueTest, CallsForOneUidRunOneAfterAnother) {
  prepare("first", {"a"});
  prepare("second", {"a", "b"});
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a", "prepare b lab/claim-b"));
  handler_.end("b");
  handler_.end("a", fail("unplugged"));
  EXPECT_THAT(answers_, ElementsAre("first a=unplugged"));
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a"));
  handler_.end("a");
  EXPECT_THAT(answers_, ElementsAre("first a=unplugged", "second a=ok b=ok"));
}

TEST_F(CallQueueTest, UnprepareStopsRunningPreparationAndFailsWaitingOne) {
  prepare("first", {"a"});
  prepare("second", {"a"});
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a"));
  unprepare("third", {"a"});
  EXPECT_THAT(handler_.take_log(), ElementsAre("stop a"));
  prepare("fourth", {"a"});
  handler_.end("a", fail("stopped"));
  EXPECT_THAT(handler_.take_log(), ElementsAre("unprepare a lab/claim-a"));
  EXPECT_THAT(
      answers_,
      ElementsAre("first a=stopped",
                  "second a=the ResourceClaim is being unprepared; the kubelet tries again"));
  handler_.end("a");
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a"));
  handler_.end("a");
  EXPECT_THAT(answers_.back(), "fourth a=ok");
}

TEST_F(CallQueueTest, UnprepareDoesNotStopUnprepare) {
  unprepare("first", {"a"});
  unprepare("second", {"a"});
  EXPECT_THAT(handler_.take_log(), ElementsAre("unprepare a lab/claim-a"));
}

TEST_F(CallQueueTest, WaitingUnpreparesHaveTheOutcomeOfTheRunningOne) {
  unprepare("first", {"a"});
  unprepare("second", {"a", "b"});
  prepare("third", {"a"});
  handler_.end("b");
  EXPECT_THAT(handler_.take_log(),
              ElementsAre("unprepare a lab/claim-a", "unprepare b lab/claim-b"));
  handler_.end("a", fail("a step failed"));
  EXPECT_THAT(answers_, ElementsAre("first a=a step failed", "second a=a step failed b=ok"));
  EXPECT_THAT(ended_, ElementsAre("b", "a"));
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a"));
}

TEST_F(CallQueueTest, FailedPrepareIsOpenUntilUnprepare) {
  EXPECT_FALSE(queue_->has_open_claims("d"));
  prepare("first", {"a"});
  EXPECT_TRUE(queue_->has_open_claims("d"));
  handler_.end("a", fail("no device"));
  EXPECT_TRUE(queue_->has_open_claims("d"));
  EXPECT_FALSE(queue_->has_open_claims("other"));
  unprepare("second", {"a"});
  handler_.end("a");
  EXPECT_FALSE(queue_->has_open_claims("d"));
}

TEST_F(CallQueueTest, SuccessfulPrepareIsOpenUntilItsEnd) {
  prepare("first", {"a"});
  handler_.end("a");
  EXPECT_FALSE(queue_->has_open_claims("d"));
}

TEST_F(CallQueueTest, AnswersCallsThatEndWithinThemselves) {
  handler_.at_once = true;
  prepare("first", {"a", "b", "a"});
  unprepare("second", {"a"});
  prepare("third", {});
  EXPECT_THAT(answers_, ElementsAre("first a=ok b=ok", "second a=ok", "third"));
  handler_.at_once = false;
}

TEST_F(CallQueueTest, HandlerMayOutliveTheQueue) {
  const auto held = std::make_shared<int>();
  queue_->add(CallKind::prepare, {named("a")}, [held](const ClaimOutcomes&) { FAIL(); });
  queue_.reset();
  EXPECT_EQ(held.use_count(), 1);
  handler_.end("a");
}

}  // namespace
}  // namespace patchbay::driver
