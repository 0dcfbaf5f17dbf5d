#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "steps/step_runner.h"

namespace patchbay::driver {

/// Records the steps, and ends them when the test calls end(). One list of steps at a time.
class ScriptedSteps final : public steps::StepRunner {
 public:
  loop::Subscription run(std::vector<Step> steps, loop::Milliseconds /*budget*/,
                         Done done) override {
    EXPECT_FALSE(done_) << "steps are running";
    for (const Step& step : steps) started_.push_back(step.path + "=" + step.value);
    done_ = std::move(done);
    return loop::Subscription([this] { done_ = nullptr; });
  }

  /// Ends the running steps.
  void end(Result<void> result = {}) {
    ASSERT_TRUE(done_) << "no steps are running";
    std::exchange(done_, nullptr)(std::move(result));
  }

  [[nodiscard]] bool running() const { return static_cast<bool>(done_); }
  /// The steps since the last call, as "PATH=VALUE".
  std::vector<std::string> take_started() { return std::exchange(started_, {}); }

 private:
  std::vector<std::string> started_;
  Done done_;
};

}  // namespace patchbay::driver
