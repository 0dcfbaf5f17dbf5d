#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "health/check_runner.h"
#include "health/path_check.h"

namespace patchbay::health {

/// Runs nothing: the test says when a check ends, and how. Checks are known by their path.
class ScriptedRunner final : public CheckRunner {
 public:
  loop::Subscription run(const Check& check, Done done) override {
    const size_t number = next_++;
    begun.push_back(check.path);
    running_.emplace(number, Run{check.path, std::move(done)});
    most_at_once = std::max(most_at_once, running_.size());
    return loop::Subscription([this, number] { running_.erase(number); });
  }

  /// The paths of those that run, in the order in which they began.
  [[nodiscard]] std::vector<std::string> running() const {
    std::vector<std::string> paths;
    for (const auto& [number, run] : running_) paths.push_back(run.path);
    return paths;
  }

  /// Ends the check that began first of those with that path. False: none runs.
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
  };
  std::map<size_t, Run> running_;
  size_t next_ = 0;
};

/// Finds what the test says when it ends a look.
class ScriptedPaths final : public PathCheck {
 public:
  loop::Subscription run(std::vector<PathQuery> queries, loop::Milliseconds /*timeout*/,
                         Done done) override {
    std::vector<std::string> names;
    for (const PathQuery& query : queries) names.push_back(query.needed.path);
    asked.push_back(std::move(names));
    queries_ = std::move(queries);
    done_ = std::move(done);
    return loop::Subscription([this, number = asked.size()] {
      if (number == asked.size()) done_ = nullptr;
    });
  }

  /// Ends the look that runs. False: none does.
  bool end() {
    if (!done_) return false;
    PathsSeen seen{.faults = faults, .ways = {}};
    for (const PathQuery& query : queries_) {
      if (query.way) seen.ways[query.needed.path] = way(query.needed.path);
    }
    std::exchange(done_, nullptr)(std::move(seen));
    return true;
  }

  PathFaults faults;
  /// The ways that are not as they are written: entries of directories.
  std::map<std::string, std::vector<std::string>> links;
  std::vector<std::vector<std::string>> asked;

 private:
  [[nodiscard]] std::vector<host::FilePlace> way(const std::string& path) const {
    std::vector<host::FilePlace> places;
    const auto add_to = [&](const std::string& to) {
      for (size_t at = 0; at != std::string::npos;) {
        const size_t end = to.find('/', at + 1);
        places.push_back({.path = at == 0 ? "/" : to.substr(0, at),
                          .entry = to.substr(at + 1, end - at - 1),
                          .device = 1,
                          .inode = 1});
        at = end;
      }
    };
    add_to(path);
    if (const auto more = links.find(path); more != links.end()) {
      for (const std::string& link : more->second) add_to(link);
    }
    return places;
  }

  std::vector<PathQuery> queries_;
  Done done_;
};

}  // namespace patchbay::health
