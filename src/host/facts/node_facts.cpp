#include "host/facts/node_facts.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "paths/glob_pattern.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

using Clock = std::chrono::steady_clock;

/// `glob:` does not find dangling links either.
bool has_existing_path(const paths::GlobFound& found, const paths::HostRoot& root) {
  return std::ranges::any_of(found.paths,
                             [&](const std::string& path) { return root.exists(path); });
}

struct Question {
  bool is_glob = false;
  std::string path;
  friend auto operator<=>(const Question&, const Question&) = default;
};

struct Answer {
  std::optional<std::string> content{};  ///< Content of a file.
  bool found = false;                    ///< Whether the pattern matches something.
  std::string truncation{};              ///< Why the matches are incomplete.
  std::vector<std::string> watch_paths{};
  int exhaustion_errno = 0;  ///< Errno of resource exhaustion: no answer.
};

Answer find_answer(const Question& question, const paths::HostRoot& root) {
  const paths::ResourceExhaustion exhaustion;
  if (!question.is_glob) {
    Answer answer{.content = root.read_file(question.path)};
    answer.exhaustion_errno = exhaustion.error();
    return answer;
  }
  const paths::GlobPattern pattern(question.path, root);
  const paths::GlobFound found = pattern.find();
  Answer answer{.found = has_existing_path(found, root)};
  if (!answer.found) answer.truncation = found.truncation;
  for (paths::PatternWatchPoint& point : pattern.watch_points())
    answer.watch_paths.push_back(std::move(point.path));
  answer.exhaustion_errno = exhaustion.error();
  return answer;
}

}  // namespace

/// State shared by the threads and their caller. A hung thread keeps it alive.
struct NodeFactReader::State {
  struct QuestionState {
    std::optional<Answer> answer;  ///< The last answer.
    bool fresh = false;            ///< The answer is from this reading.
    int exhaustion_errno = 0;      ///< Errno of the reason if it is not.
    std::optional<Clock::time_point> begun{};
  };

  State(loop::Executor its_executor, paths::HostRoot host_root)
      : executor(std::move(its_executor)), root(std::move(host_root)) {}

  void work();
  /// Starts a thread that reads until no question waits. False: the system has no thread.
  static bool start_thread(const std::shared_ptr<State>& self);
  static void wait_for_all(const std::shared_ptr<State>& self, std::unique_lock<std::mutex>& lock,
                           std::chrono::milliseconds timeout);

  static void take(const Question& question, const QuestionState& asked, NodeFacts& facts);

  loop::Executor executor;
  const paths::HostRoot root;
  std::mutex reading;  ///< Locked during read(), which has a timeout.
  std::mutex mutex;
  std::condition_variable changed;
  std::map<Question, QuestionState> asked;  // Guarded by mutex, as all below.
  std::deque<Question> waiting;
  size_t threads = 0;
};

void NodeFactReader::State::work() {
  std::unique_lock lock(mutex);
  while (!waiting.empty()) {
    const Question question = std::move(waiting.front());
    waiting.pop_front();
    asked[question].begun = Clock::now();
    lock.unlock();
    Answer answer = find_answer(question, root);
    lock.lock();
    if (answer.exhaustion_errno == 0) {
      asked[question] = {.answer = std::move(answer), .fresh = true};
    } else {
      asked[question].begun.reset();
      asked[question].exhaustion_errno = answer.exhaustion_errno;
    }
    changed.notify_all();
  }
  --threads;
}

bool NodeFactReader::State::start_thread(const std::shared_ptr<State>& self) {
  loop::Task task = [self] { self->work(); };
  if (!self->executor.start(task)) return false;
  ++self->threads;
  return true;
}

/// Normally one thread reads everything. If it does not, each waiting question gets a thread.
void NodeFactReader::State::wait_for_all(const std::shared_ptr<State>& self,
                                         std::unique_lock<std::mutex>& lock,
                                         std::chrono::milliseconds timeout) {
  const auto all_read = [&] {
    const auto now = Clock::now();
    return self->waiting.empty() && std::ranges::none_of(self->asked, [&](const auto& asked) {
             return asked.second.begun && now < *asked.second.begun + timeout;
           });
  };
  if (!self->waiting.empty()) start_thread(self);
  if (self->changed.wait_for(lock, loop::kSlowAfter, all_read)) return;
  for (size_t missing = self->waiting.size(); missing > 0; --missing) {
    if (self->threads >= loop::kMaxHung || !start_thread(self)) break;
  }
  if (self->threads > 0) self->changed.wait_for(lock, timeout, all_read);
}

NodeFactReader::NodeFactReader(loop::Executor executor, paths::HostRoot root)
    : state_(std::make_shared<State>(std::move(executor), std::move(root))) {}

NodeFactReader::~NodeFactReader() = default;

NodeFacts NodeFactReader::read(const NodeQuery& query, std::chrono::milliseconds timeout) {
  std::vector<Question> questions;
  for (const std::string& path : query.files) questions.push_back({.path = path});
  for (const std::string& path : query.globs) questions.push_back({.is_glob = true, .path = path});
  NodeFacts facts;
  const std::lock_guard one_at_a_time(state_->reading);
  std::unique_lock lock(state_->mutex);
  for (const Question& question : questions) {
    State::QuestionState& one = state_->asked[question];
    one.fresh = false;
    one.exhaustion_errno = 0;
    if (!one.begun) state_->waiting.push_back(question);
  }
  state_->wait_for_all(state_, lock, timeout);
  state_->waiting.clear();
  for (const Question& question : questions)
    State::take(question, state_->asked.at(question), facts);
  lock.unlock();
  std::ranges::sort(facts.unresponsive);
  for (const std::string& name : query.variables) {
    if (const char* value = std::getenv(name.c_str())) facts.variables.emplace(name, value);
  }
  return facts;
}

void NodeFactReader::State::take(const Question& question, const QuestionState& asked,
                                 NodeFacts& facts) {
  const auto& [is_glob, path] = question;
  if (!asked.fresh) facts.unresponsive.push_back(path);
  if (asked.exhaustion_errno != 0) facts.exhaustion_errno = asked.exhaustion_errno;
  // For a hung pattern, the directory that hangs is followed, to detect when it answers.
  if (!is_glob) facts.watch_paths.push_back(path);
  if (is_glob && !asked.fresh) facts.watch_paths.push_back(paths::GlobPattern(path, {}).base());
  if (!asked.answer) {
    facts.unknown.emplace(path, asked.exhaustion_errno == 0
                                    ? "unresponsive"
                                    : std::generic_category().message(asked.exhaustion_errno));
    return;
  }
  const Answer& answer = *asked.answer;
  facts.watch_paths.insert(facts.watch_paths.end(), answer.watch_paths.begin(),
                           answer.watch_paths.end());
  if (answer.content) facts.files.emplace(path, *answer.content);
  if (answer.found) facts.globs.push_back(path);
  if (!answer.truncation.empty()) facts.unknown.emplace(path, answer.truncation);
}

NodeFacts read_node_facts(const NodeQuery& query, const paths::HostRoot& root) {
  return NodeFactReader(loop::Executor(), root).read(query);
}

}  // namespace patchbay::host
