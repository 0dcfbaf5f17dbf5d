#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fake/runner_fixture.h"
#include "health/check_runner.h"

namespace patchbay::health {

class CheckTest : public fake::RunnerTest {
 protected:
  struct Outcome {
    loop::Subscription subscription;
    std::optional<CheckResult> result;
  };
  std::shared_ptr<Outcome> start(const Check& check) {
    auto outcome = std::make_shared<Outcome>();
    const auto on_done = [outcome = outcome.get()](CheckResult result) {
      EXPECT_FALSE(outcome->result) << "told twice";
      outcome->result = std::move(result);
    };
    outcome->subscription = runner->run(check, on_done, {});
    EXPECT_FALSE(outcome->result) << "never at once";
    return outcome;
  }
  CheckResult run(const Check& check) {
    const auto outcome = start(check);
    EXPECT_TRUE(until([&] { return outcome->result.has_value(); }));
    return outcome->result.value_or(CheckResult{});
  }
  void use_root(const std::string& root) {
    runner = CheckRunner::create(loop, threads, {.root = paths::HostRoot(root), .environment = {}});
  }

  inline static const loop::Milliseconds kLong = fake::kPatience;
  std::unique_ptr<CheckRunner> runner =
      CheckRunner::create(loop, threads, {.root = {}, .environment = {"PATH=/usr/bin:/bin"}});
};

/// Matches a result of this kind and reason, whatever its values are.
inline auto matches(CheckResult::Kind kind, const std::string& reason) {
  return testing::AllOf(testing::Field(&CheckResult::kind, kind),
                        testing::Field(&CheckResult::reason, reason));
}
inline auto done() { return matches(CheckResult::Kind::done, ""); }
inline auto failed(const std::string& reason) { return matches(CheckResult::Kind::failed, reason); }
inline auto cannot_run(const std::string& reason) {
  return matches(CheckResult::Kind::cannot_run, reason);
}

}  // namespace patchbay::health
