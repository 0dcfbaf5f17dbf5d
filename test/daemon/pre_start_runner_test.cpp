#include "daemon/pre_start_runner.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"

namespace patchbay::daemon {
namespace {

using Strings = std::vector<std::string>;

/// A StepRunner that runs nothing. The test ends each run.
class ScriptedRunner final : public steps::StepRunner {
 public:
  struct Run {
    std::string first;  ///< The path that the first step waits for.
    loop::Milliseconds budget;
    Done done;
  };

  loop::Subscription run(std::vector<Step> steps, loop::Milliseconds budget, Done done) override {
    runs.push_back({steps.front().path, budget, std::move(done)});
    return loop::Subscription([] {});
  }

  std::vector<Run> runs;
};

class PreStartRunnerTest : public testing::Test {
 protected:
  /// Starts the steps of these units, each given as "R/ID". The step of a unit waits for "/x/ID".
  void run(const Strings& units, const std::string& name) {
    inventory::StepsByUnit steps;
    for (const std::string& unit : units) {
      const std::string id = unit.substr(2);
      steps[{unit.substr(0, 1), id}] = {{.kind = Step::Kind::wait, .path = "/x/" + id}};
    }
    starts_.run(std::move(steps), [this, name](const Result<void>& result) {
      ends_.push_back(name + (result ? "" : ": " + result.error().message));
    });
    loop_.run_ready();
  }
  void end(size_t run, const Result<void>& result = {}) {
    auto done = std::move(runner_.runs.at(run).done);
    done(result);
    loop_.run_ready();
  }
  [[nodiscard]] Strings begun() const {
    Strings paths;
    for (const auto& run : runner_.runs) paths.push_back(run.first);
    return paths;
  }

  fake::ManualLoop loop_;
  ScriptedRunner runner_;
  PreStartRunner starts_{loop_, runner_};
  Strings ends_;
};

TEST_F(PreStartRunnerTest, RunsDifferentUnitsInParallel) {
  run({"s/a"}, "one");
  run({"s/b"}, "two");
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/b"}));
  end(1);
  end(0);
  EXPECT_EQ(ends_, (Strings{"two", "one"}));
}

TEST_F(PreStartRunnerTest, RunsStepsOfSameUnitOneAfterAnother) {
  run({"s/a"}, "one");
  run({"s/a"}, "two");
  EXPECT_EQ(begun(), (Strings{"/x/a"}));
  loop_.advance(std::chrono::seconds(20));
  end(0);
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/a"}));
  EXPECT_EQ(runner_.runs[1].budget, std::chrono::seconds(5));
  end(1);
  EXPECT_EQ(ends_, (Strings{"one", "two"}));
}

TEST_F(PreStartRunnerTest, FailsWhenBudgetIsSpent) {
  run({"s/a"}, "one");
  run({"s/a"}, "two");
  loop_.advance(std::chrono::seconds(25));
  end(0);
  loop_.advance(std::chrono::seconds(0));
  EXPECT_EQ(begun(), (Strings{"/x/a"}));
  EXPECT_EQ(ends_,
            (Strings{"one", "two: unit 'a': an earlier start of the same unit used all the time"}));
}

TEST_F(PreStartRunnerTest, UnitsOfTwoResourcesAreIndependent) {
  run({"s/a"}, "one");
  run({"t/a"}, "two");
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/a"}));
}

TEST_F(PreStartRunnerTest, RunEndsWhenLastUnitEnds) {
  run({"s/a", "s/b"}, "one");
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/b"}));
  end(0);
  EXPECT_EQ(ends_, Strings{});
  end(1);
  EXPECT_EQ(ends_, Strings{"one"});
}

TEST_F(PreStartRunnerTest, EndsAtOnceWithoutSteps) {
  run({}, "one");
  EXPECT_EQ(ends_, Strings{"one"});
}

TEST_F(PreStartRunnerTest, ReportsFirstFailureOnce) {
  run({"s/a", "s/b"}, "one");
  end(1, Result<void>(fail("step 1: no")));
  EXPECT_EQ(ends_, Strings{"one: unit 'b': step 1: no"});
  end(0, Result<void>(fail("step 1: neither")));
  EXPECT_EQ(ends_.size(), 1U);
}

}  // namespace
}  // namespace patchbay::daemon
