#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "health/check_runner.h"

namespace patchbay::health {

/// A CheckRunner that runs nothing. The test ends each check with a result, by the check's path.
class ScriptedRunner final : public CheckRunner {
 public:
  loop::Subscription run(const Check& check, Done done, loop::Task waits) override {
    const size_t number = next_++;
    begun.push_back(check.path);
    running_.emplace(number, Run{check.path, std::move(done), std::move(waits)});
    most_at_once = std::max(most_at_once, running_.size());
    return loop::Subscription([this, number] { running_.erase(number); });
  }

  /// The paths of the running checks, in the order of their starts.
  [[nodiscard]] std::vector<std::string> running() const {
    std::vector<std::string> paths;
    for (const auto& [number, run] : running_) paths.push_back(run.path);
    return paths;
  }

  /// Ends the oldest check with that path. Returns false if none runs.
  bool end(const std::string& path, CheckResult result) {
    for (auto& [number, run] : running_) {
      if (run.path != path) continue;
      const auto ended = running_.extract(number);
      auto done = std::move(ended.mapped().done);
      done(std::move(result));
      return true;
    }
    return false;
  }
  /// Reports that the running check with that path waits for the kernel.
  void wait(const std::string& path) {
    for (auto& [number, run] : running_) {
      if (run.path == path) return run.waits();
    }
  }
  bool pass(const std::string& path) { return end(path, {}); }
  bool fail(const std::string& path, std::string reason = "no answer") {
    return end(path, {CheckResult::Kind::failed, {}, std::move(reason)});
  }
  bool cannot(const std::string& path, std::string reason) {
    return end(path, {CheckResult::Kind::cannot_run, {}, std::move(reason)});
  }

  std::vector<std::string> begun;
  size_t most_at_once = 0;

 private:
  struct Run {
    std::string path;
    Done done;
    loop::Task waits;
  };
  std::map<size_t, Run> running_;
  size_t next_ = 0;
};

}  // namespace patchbay::health
