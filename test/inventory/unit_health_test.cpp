#include "inventory/unit_health.h"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace patchbay::inventory {
namespace {

using Kind = rules::Verdict::Kind;

rules::Verdict passed() { return {}; }
rules::Verdict failed(std::string reason = "no answer") {
  return {Kind::failed, std::move(reason)};
}
rules::Verdict cannot_run(std::string reason = "Permission denied") {
  return {Kind::cannot_run, std::move(reason)};
}

rules::ProbePlan probe(size_t failures, size_t successes) {
  rules::ProbePlan plan;
  plan.timing.failure_threshold = failures;
  plan.timing.success_threshold = successes;
  return plan;
}

/// A ProbeState whose runs end in the order of their starts.
class Probe : public ProbeState {
 public:
  using ProbeState::ProbeState;
  /// Takes the next result. Returns whether the probe cannot run for a new reason.
  bool take_next(const rules::Verdict& verdict) {
    const uint64_t run = begin();
    return take(run, verdict);
  }
  /// Takes the next result. Returns whether it changes the state or the reason.
  bool changes(const rules::Verdict& verdict) {
    const auto before = std::pair(healthy(), reason());
    take_next(verdict);
    return before != std::pair(healthy(), reason());
  }
};

TEST(ProbeState, FailsAfterConsecutiveFailures) {
  Probe state(probe(3, 1));
  state.take_next(passed());
  EXPECT_FALSE(state.changes(failed()));
  EXPECT_FALSE(state.changes(failed()));
  EXPECT_FALSE(state.changes(passed()));  // The failures are not consecutive.
  EXPECT_FALSE(state.changes(failed("1")));
  EXPECT_FALSE(state.changes(failed("2")));
  EXPECT_TRUE(state.healthy());
  EXPECT_TRUE(state.changes(failed("3")));
  EXPECT_FALSE(state.healthy());
  EXPECT_EQ(state.reason(), "3");
}

TEST(ProbeState, KeepsReasonOfStateChange) {
  Probe state(probe(1, 1));
  EXPECT_TRUE(state.changes(failed("91 degrees")));
  EXPECT_FALSE(state.changes(failed("92 degrees")));
  EXPECT_EQ(state.reason(), "91 degrees");
}

TEST(ProbeState, RecoversAfterConsecutivePasses) {
  Probe state(probe(1, 2));
  state.take_next(failed());
  EXPECT_FALSE(state.changes(passed()));
  EXPECT_FALSE(state.changes(failed()));
  EXPECT_FALSE(state.changes(passed()));
  EXPECT_FALSE(state.healthy());
  EXPECT_TRUE(state.changes(passed()));
  EXPECT_TRUE(state.healthy());
  EXPECT_EQ(state.reason(), "");
}

TEST(ProbeState, FirstResultDecidesAtOnce) {
  Probe state(probe(3, 2));
  EXPECT_TRUE(state.healthy());
  EXPECT_TRUE(state.changes(failed("no answer")));
  EXPECT_EQ(state.reason(), "no answer");
  EXPECT_FALSE(state.changes(passed())) << "only the first one decides at once";
  EXPECT_TRUE(state.changes(passed()));
}

TEST(ProbeState, CountsUnrunnableProbeAsFailed) {
  Probe state(probe(2, 1));
  state.take_next(passed());
  state.take_next(failed());
  EXPECT_TRUE(state.changes(cannot_run()));
  EXPECT_EQ(state.reason(), "cannot be run: Permission denied");
}

TEST(ProbeState, ReportsUnrunnableReasonOnce) {
  Probe state(probe(1, 1));
  EXPECT_TRUE(state.take_next(cannot_run("no such program")));
  EXPECT_FALSE(state.take_next(cannot_run("no such program")));
  EXPECT_TRUE(state.take_next(cannot_run("no memory")));
  EXPECT_FALSE(state.take_next(passed()));
  EXPECT_TRUE(state.take_next(cannot_run("no memory")));
}

TEST(ProbeState, DropsStaleResults) {
  ProbeState state(probe(1, 1));
  const uint64_t first = state.begin();
  const uint64_t second = state.begin();
  state.take(second, passed());
  state.take(first, failed());
  EXPECT_TRUE(state.healthy());
  state.take(second, failed());  // The result of a later run was taken before.
  EXPECT_TRUE(state.healthy());
}

/// Tests a unit with two probes. One result is enough to change the state of a probe.
class UnitHealthTest : public testing::Test {
 protected:
  UnitHealthTest() {
    group_.health = {probe(1, 1), probe(1, 1)};
    checks_.probes = {{0, {}}, {1, {}}};
  }

  UnitHealth& unit() {
    if (!unit_) unit_ = std::make_unique<UnitHealth>(group_, checks_);
    return *unit_;
  }
  void take(size_t index, const rules::Verdict& verdict) {
    const uint64_t run = unit().begin(index);
    unit().take(index, run, verdict);
  }
  /// Why the unit is unhealthy; empty if it is healthy.
  std::string reason() {
    const Health health = unit().health();
    EXPECT_EQ(health.healthy, health.reason.empty());
    return health.reason;
  }
  rules::GroupPlan group_;
  UnitChecks checks_;
  std::unique_ptr<UnitHealth> unit_;
};

TEST_F(UnitHealthTest, IsHealthyIfAllChecksPass) {
  EXPECT_EQ(reason(), "");
  take(1, failed("second"));
  EXPECT_EQ(reason(), "second");
  unit().set_path_faults({"/dev/x does not exist"});
  take(0, passed());
  take(1, passed());
  EXPECT_EQ(reason(), "/dev/x does not exist");
  unit().set_path_faults({});
  EXPECT_EQ(reason(), "");
}

TEST_F(UnitHealthTest, ReasonListsFaultsInConfigOrder) {
  unit().set_path_faults({"/dev/a does not exist", "/dev/b does not exist"});
  take(1, failed("second"));
  take(0, failed("first"));
  EXPECT_EQ(reason(), "first; second; /dev/a does not exist; /dev/b does not exist");
  take(0, passed());
  EXPECT_EQ(reason(), "second; /dev/a does not exist; /dev/b does not exist");
}

TEST_F(UnitHealthTest, NamesTheFirstFailedProbe) {
  EXPECT_EQ(unit().health().failed_probe, std::nullopt);
  unit().set_path_faults({"/dev/a does not exist"});
  EXPECT_EQ(unit().health().failed_probe, std::nullopt);
  take(1, failed("second"));
  EXPECT_EQ(unit().health().failed_probe, 1);
  take(0, failed("first"));
  EXPECT_EQ(unit().health().failed_probe, 0);
}

TEST_F(UnitHealthTest, ReasonListsEqualFaultsOnce) {
  take(0, failed("no answer"));
  take(1, failed("no answer"));
  EXPECT_EQ(reason(), "no answer");
}

TEST_F(UnitHealthTest, ReasonCountsOmittedFaults) {
  std::vector<std::string> faults;
  for (int i = 10; i < 99; ++i) faults.push_back(fmt::format("/dev/gopher{} does not exist", i));
  unit().set_path_faults(faults);
  EXPECT_TRUE(reason().starts_with("/dev/gopher10 does not exist; /dev/gopher11 does not exist; "));
  EXPECT_TRUE(reason().ends_with("; /dev/gopher22 does not exist; and 76 more")) << reason();
  EXPECT_LE(reason().size(), UnitHealth::kMaxReasonBytes + 20);
  // The first fault is not shortened.
  take(0, failed(std::string(1000, 'x')));
  EXPECT_EQ(reason(), std::string(1000, 'x') + "; and 89 more");
}

}  // namespace
}  // namespace patchbay::inventory
