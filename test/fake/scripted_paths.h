#pragma once

#include <sys/stat.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "paths/path_checker.h"

namespace patchbay::fake {

inline constexpr paths::PathState kMissing{.kind = paths::PathState::Kind::missing};

/// A PathChecker whose checks end when the test calls end(), with the states that the test set.
class ScriptedPaths final : public paths::PathChecker {
 public:
  loop::Subscription run(std::vector<paths::PathQuery> queries, loop::Milliseconds /*timeout*/,
                         Found found) override {
    std::vector<std::string> paths;
    for (const paths::PathQuery& query : queries) paths.push_back(query.path);
    asked.push_back(std::move(paths));
    queries_ = std::move(queries);
    found_ = std::move(found);
    return loop::Subscription([this, number = asked.size()] {
      if (number == asked.size()) found_ = nullptr;
    });
  }

  /// Ends the running check. Returns false if none runs.
  bool end() {
    if (!found_) return false;
    paths::PathResults found;
    for (const paths::PathQuery& query : queries_) {
      auto& [there, chain, reported_again, exhausted] = found[query.path];
      const auto said = states.find(query.path);
      there = said != states.end()
                  ? said->second
                  : paths::PathState{.kind = paths::PathState::Kind::exists, .mode = S_IFCHR};
      if (query.chain) chain = path_chain(query);
    }
    std::exchange(found_, nullptr)(std::move(found));
    return true;
  }

  /// States by path. A path without a state is an existing character device.
  std::map<std::string, paths::PathState> states;
  /// By path: the links through which it leads, for its chain.
  std::map<std::string, std::vector<std::string>> links;
  ino_t file_inode = 1;  ///< Inode of each path that a query with `inside` asks for.
  std::vector<std::vector<std::string>> asked;

 private:
  [[nodiscard]] paths::PathChain path_chain(const paths::PathQuery& query) const {
    paths::PathChain chain;
    const auto add_to = [&](const std::string& to) {
      for (size_t at = 0; at != std::string::npos;) {
        const size_t end = to.find('/', at + 1);
        chain.watch_points.push_back({.path = at == 0 ? "/" : to.substr(0, at),
                                      .entry = to.substr(at + 1, end - at - 1),
                                      .device = 1,
                                      .inode = 1});
        at = end;
      }
    };
    add_to(query.path);
    if (const auto more = links.find(query.path); more != links.end()) {
      for (const std::string& link : more->second) add_to(link);
    }
    if (query.inside) {
      chain.watch_points.push_back(
          {.path = query.path, .entry = "", .device = 1, .inode = file_inode});
    }
    return chain;
  }

  std::vector<paths::PathQuery> queries_;
  Found found_;
};

}  // namespace patchbay::fake
