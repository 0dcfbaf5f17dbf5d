#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fake/manual_loop.h"
#include "loop/work_queue.h"

namespace patchbay::fake {

/// BlockingWork that runs on the test's loop, or hangs as long as the test wants.
class ManualWork final : public loop::BlockingWork {
 public:
  explicit ManualWork(ManualLoop& loop) : loop_(loop) {}

  /// Makes all work that begins later hang until let_go().
  void hang() { hangs_ = true; }
  void let_go() {
    hangs_ = false;
    for (auto& [name, blocking] : std::exchange(hanging_, {})) blocking();
  }
  [[nodiscard]] size_t hanging() const { return hanging_.size(); }

  loop::Subscription run(std::string name, loop::Milliseconds timeout, loop::Task blocking,
                         Done done) override {
    using Outcome = loop::WorkOutcome;
    if (hanging_.contains(name)) return finish(Outcome::still_hanging, std::move(done));
    if (hangs_) {
      hanging_.emplace(std::move(name), std::move(blocking));
      return finish(Outcome::timed_out, std::move(done), timeout);
    }
    loop_.work(std::move(blocking), [] {});
    return finish(Outcome::done, std::move(done));
  }

 private:
  loop::Subscription finish(loop::WorkOutcome outcome, Done done, loop::Milliseconds after = {}) {
    if (after != loop::Milliseconds{}) {
      return loop_.after(after, [outcome, done = std::move(done)]() mutable { done(outcome); });
    }
    const auto wanted = std::make_shared<bool>(true);
    loop_.post([wanted, outcome, done = std::move(done)]() mutable {
      if (*wanted) done(outcome);
    });
    return loop::Subscription([wanted] { *wanted = false; });
  }

  ManualLoop& loop_;
  bool hangs_ = false;
  std::multimap<std::string, loop::Task> hanging_;  ///< By name.
};

}  // namespace patchbay::fake
