#include "plugin/answer_paths.h"

#include <cerrno>
#include <utility>

#include "base/current_path.h"
#include "base/text.h"
#include "loop/executor.h"

namespace patchbay::plugin {
namespace {

inventory::PathState state_of(const std::string& path, const paths::PathStatus& status) {
  return {.exists = status.has_value(), .node = paths::node_number(path, status)};
}

Result<inventory::PathState> state_of(const std::string& path, const paths::PathState& found) {
  using Kind = paths::PathState::Kind;
  if (found.kind == Kind::unresponsive) return fail(unresponsive_text(path));
  if (found.kind == Kind::no_thread) {
    return fail("cannot check " + printable(path, 500) + ": " + kNoThreadText);
  }
  if (found.kind != Kind::exists) {
    const int error = found.kind == Kind::missing ? ENOENT : found.error;
    return state_of(path, paths::PathStatus(std::unexpected(error)));
  }
  paths::HostRoot::Status status{};
  status.st_mode = found.mode;
  status.st_rdev = found.number;
  return state_of(path, paths::PathStatus(status));
}

}  // namespace

AnswerPaths::AnswerPaths(loop::EventLoop& loop, const paths::HostRoot& root)
    : loop_(loop),
      stat_(std::make_shared<paths::NonblockingStat>(root)),
      queue_(loop),
      checker_(paths::PathChecker::create(queue_, root, stat_)) {}

std::optional<inventory::PathState> AnswerPaths::try_cached(const std::string& path) const {
  const auto status = stat_->try_stat(path);
  return status ? std::optional(state_of(path, *status)) : std::nullopt;
}

void AnswerPaths::check(std::vector<std::string> paths, PathsChecked done) {
  loop_.post([begin = weak_self_.guard(&AnswerPaths::begin), paths = std::move(paths),
              done = std::move(done)]() mutable { begin(paths, std::move(done)); });
}

void AnswerPaths::begin(const std::vector<std::string>& paths, PathsChecked done) {
  std::vector<paths::PathQuery> queries;
  for (const std::string& path : paths) queries.push_back({.path = path});
  const uint64_t number = next_check_++;
  const auto finish = [this, number, done = std::move(done)](Result<inventory::PathStates> states) {
    checks_.erase(number);
    done(std::move(states));
  };
  checks_[number] = checker_->run(std::move(queries), loop::kHungAfter,
                                  [finish, count = paths.size(), states = inventory::PathStates()](
                                      const paths::PathResults& results) mutable {
                                    for (const auto& [path, result] : results) {
                                      auto state = state_of(path, result.state);
                                      if (!state)
                                        return finish(std::unexpected(std::move(state).error()));
                                      states.emplace(path, *std::move(state));
                                    }
                                    if (states.size() == count) finish(std::move(states));
                                  });
}

}  // namespace patchbay::plugin
