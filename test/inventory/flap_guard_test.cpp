#include "inventory/flap_guard.h"

#include <gtest/gtest.h>

namespace patchbay::inventory {
namespace {

using namespace std::chrono_literals;

/// A guard of a unit that is healthy at first.
class FlapGuardTest : public testing::Test {
 protected:
  FlapGuardTest() { guard_.note(true, now_); }

  /// Changes the health `count` times, each after `pause`.
  void change(int count, std::chrono::seconds pause = 1min) {
    for (int i = 0; i < count; ++i) {
      now_ += pause;
      healthy_ = !healthy_;
      guard_.note(healthy_, now_);
    }
  }
  [[nodiscard]] bool is_damped() const { return guard_.damped_until(now_).has_value(); }

  FlapGuard::Time now_{1h};
  bool healthy_ = true;
  FlapGuard guard_{rules::FlapPlan{.changes = 4, .within = 10min, .hold = 30min}};
};

TEST_F(FlapGuardTest, DampsAtTheLastOfTheChanges) {
  change(3);
  EXPECT_FALSE(is_damped());
  change(1);
  EXPECT_EQ(guard_.damped_until(now_), now_ + 30min);
  EXPECT_TRUE(is_damped());
  now_ += 30min;
  EXPECT_FALSE(is_damped());
}

TEST_F(FlapGuardTest, FirstHealthIsNoChange) {
  FlapGuard guard(rules::FlapPlan{.changes = 1, .within = 10min, .hold = 30min});
  guard.note(false, now_);
  guard.note(false, now_);
  EXPECT_EQ(guard.damped_until(now_), std::nullopt);
  guard.note(true, now_);
  EXPECT_NE(guard.damped_until(now_), std::nullopt);
}

TEST_F(FlapGuardTest, WindowIncludesItsEnd) {
  change(1);
  change(3, 200s);
  EXPECT_TRUE(is_damped()) << "the fourth change is exactly ten minutes after the first one";
}

TEST_F(FlapGuardTest, ChangesOverALongerTimeDoNotDamp) {
  change(1);
  change(3, 201s);
  EXPECT_FALSE(is_damped());
}

TEST_F(FlapGuardTest, DampsFlappingAfterRareChanges) {
  change(10, 1h);
  EXPECT_FALSE(is_damped());
  now_ += 1h;
  change(3);
  EXPECT_FALSE(is_damped());
  change(1);
  EXPECT_TRUE(is_damped());
}

TEST_F(FlapGuardTest, ChangesDuringTheDampingDoNotExtendIt) {
  change(4);
  const auto until = guard_.damped_until(now_);
  change(29);
  EXPECT_EQ(guard_.damped_until(now_), until);
  now_ += 1min;
  EXPECT_FALSE(is_damped());
}

TEST_F(FlapGuardTest, ChangesDuringTheDampingDoNotCountAfterIt) {
  change(4);
  change(29);
  now_ += 1min;
  change(3);
  EXPECT_FALSE(is_damped());
  change(1);
  EXPECT_TRUE(is_damped());
}

TEST_F(FlapGuardTest, ChangesBeforeTheDampingDoNotCountAfterIt) {
  FlapGuard guard(rules::FlapPlan{.changes = 2, .within = 10min, .hold = 1min});
  for (const bool healthy : {true, false, true}) guard.note(healthy, now_);
  ASSERT_NE(guard.damped_until(now_), std::nullopt);
  now_ += 1min;
  guard.note(false, now_);
  EXPECT_EQ(guard.damped_until(now_), std::nullopt);
  guard.note(true, now_);
  EXPECT_NE(guard.damped_until(now_), std::nullopt);
}

TEST_F(FlapGuardTest, ExpiresWhenItsChangesAreTooOld) {
  EXPECT_TRUE(guard_.has_expired(now_)) << "there was no change";
  change(1);
  EXPECT_FALSE(guard_.has_expired(now_));
  change(1);
  now_ += 10min;
  EXPECT_FALSE(guard_.has_expired(now_)) << "the last change may still count";
  now_ += 1s;
  EXPECT_TRUE(guard_.has_expired(now_));
}

TEST_F(FlapGuardTest, ExpiresAfterTheDamping) {
  change(4);
  now_ += 30min - 1s;
  EXPECT_FALSE(guard_.has_expired(now_));
  now_ += 1s;
  EXPECT_TRUE(guard_.has_expired(now_));
}

TEST_F(FlapGuardTest, ReasonNamesThePlan) {
  EXPECT_EQ(guard_.reason(), "4 changes within 10m: held for 30m");
  const FlapGuard one(rules::FlapPlan{.changes = 1, .within = 1min, .hold = 2min});
  EXPECT_EQ(one.reason(), "1 change within 1m: held for 2m");
}

}  // namespace
}  // namespace patchbay::inventory
