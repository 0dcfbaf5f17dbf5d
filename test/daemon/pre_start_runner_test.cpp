#include "daemon/pre_start_runner.h"

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "inventory/bench.h"

namespace patchbay::daemon {
namespace {

using inventory::Strings;

/// Runs nothing; the test ends each run.
class ScriptedRunner final : public health::StepRunner {
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
  PreStartRunnerTest()
      : inventory_(inventory::plan_of("  - name: a.io/s\n"
                                      "    match: {subsystem: tty}\n"
                                      "    id: $(name)\n"
                                      "    share: {count: 2}\n"
                                      "    preStart: [{wait: {path: /x/$(id)}}]\n")) {
    for (const char* name : {"a", "b"})
      inventory_.apply(inventory::shared(inventory::serial(name, name)));
    snapshot_ = inventory_.resolve(inventory::kStart).resources.at(0).snapshot;
  }

  void prepare(const Strings& ids, const std::string& name) {
    starts_.prepare(snapshot_, ids, [this, name](const Result<void>& result) {
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
  inventory::Inventory inventory_;
  inventory::SnapshotPtr snapshot_;
  Strings ends_;
};

TEST_F(PreStartRunnerTest, RunsDifferentUnitsInParallel) {
  prepare({"a::0"}, "one");
  prepare({"b::1"}, "two");
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/b"}));
  end(1);
  end(0);
  EXPECT_EQ(ends_, (Strings{"two", "one"}));
}

TEST_F(PreStartRunnerTest, RunsOneUnitSequentially) {
  prepare({"a::0"}, "one");
  prepare({"a::1"}, "two");
  EXPECT_EQ(begun(), (Strings{"/x/a"}));
  loop_.advance(std::chrono::seconds(20));
  end(0);
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/a"}));
  EXPECT_EQ(runner_.runs[1].budget, std::chrono::seconds(5));
  end(1);
  EXPECT_EQ(ends_, (Strings{"one", "two"}));
}

TEST_F(PreStartRunnerTest, FailsWhenBudgetIsSpent) {
  prepare({"a::0"}, "one");
  prepare({"a::1"}, "two");
  loop_.advance(std::chrono::seconds(25));
  end(0);
  loop_.advance(std::chrono::seconds(0));
  EXPECT_EQ(begun(), (Strings{"/x/a"}));
  EXPECT_EQ(ends_,
            (Strings{"one", "two: unit 'a': an earlier start of the same unit used all the time"}));
}

TEST_F(PreStartRunnerTest, RunsStepsOfUnitOnce) {
  prepare({"a::0", "a::1", "b::0"}, "one");
  EXPECT_EQ(begun(), (Strings{"/x/a", "/x/b"}));
  end(0);
  EXPECT_EQ(ends_, Strings{});
  end(1);
  EXPECT_EQ(ends_, Strings{"one"});
}

TEST_F(PreStartRunnerTest, ReportsFirstFailureOnce) {
  prepare({"a::0", "b::0"}, "one");
  end(1, Result<void>(fail("step 1: no")));
  EXPECT_EQ(ends_, Strings{"one: unit 'b': step 1: no"});
  end(0, Result<void>(fail("step 1: neither")));
  EXPECT_EQ(ends_.size(), 1U);
}

}  // namespace
}  // namespace patchbay::daemon
