#pragma once

#include "health/runner_fixture.h"

namespace patchbay::health {

class CheckTest : public RunnerTest {
 protected:
  struct Told {
    loop::Subscription subscription;
    std::optional<CheckResult> result;
  };
  std::shared_ptr<Told> start(const Check& check) {
    auto told = std::make_shared<Told>();
    told->subscription = runner->run(check, [told = told.get()](CheckResult result) {
      EXPECT_FALSE(told->result) << "told twice";
      told->result = std::move(result);
    });
    EXPECT_FALSE(told->result) << "never at once";
    return told;
  }
  CheckResult run(const Check& check) {
    const auto told = start(check);
    EXPECT_TRUE(until([&] { return told->result.has_value(); }));
    return told->result.value_or(CheckResult{});
  }
  void use_root(const std::string& root) {
    runner = CheckRunner::create(loop, threads, {.root = host::HostRoot(root), .environment = {}});
  }

  inline static const loop::Milliseconds kLong = fake::kPatience;
  std::unique_ptr<CheckRunner> runner =
      CheckRunner::create(loop, threads, {.root = {}, .environment = {"PATH=/usr/bin:/bin"}});
};

/// A result without values, for EXPECT_THAT.
inline auto told(CheckResult::Kind kind, const std::string& reason) {
  return testing::AllOf(testing::Field(&CheckResult::kind, kind),
                        testing::Field(&CheckResult::reason, reason));
}
inline auto done() { return told(CheckResult::Kind::done, ""); }
inline auto failed(const std::string& reason) { return told(CheckResult::Kind::failed, reason); }
inline auto cannot_run(const std::string& reason) {
  return told(CheckResult::Kind::cannot_run, reason);
}

}  // namespace patchbay::health
