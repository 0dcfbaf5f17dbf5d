#include "host/node_facts.h"

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
#include <thread>
#include <utility>
#include <vector>

#include "base/signals_held.h"
#include "host/glob_pattern.h"
#include "host/want_of_room.h"

namespace patchbay::host {
namespace {

using Clock = std::chrono::steady_clock;

/// What lasts longer leaves its place to another thread.
constexpr std::chrono::milliseconds kNodeLong{200};
constexpr size_t kMostThreads = 32;
/// One thread does all, as long as nothing lasts long; then so many, besides those that last long.
constexpr size_t kThreadsInTrouble = 4;

/// A link that leads nowhere is not found by `glob:` either.
bool finds_something(const GlobFound& found, const HostRoot& root) {
  return std::ranges::any_of(found.paths,
                             [&](const std::string& path) { return root.exists(path); });
}

struct Question {
  bool is_glob = false;
  std::string path;
  friend auto operator<=>(const Question&, const Question&) = default;
};

struct Answer {
  std::optional<std::string> content{};  ///< Of a file.
  bool found = false;                    ///< Of a pattern,
  std::string cut{};                     ///< and why that is not all.
  std::vector<std::string> places{};
  int no_room = 0;  ///< The errno: it says nothing.
};

Answer answer_to(const Question& question, const HostRoot& root) {
  const WantOfRoom room;
  if (!question.is_glob) {
    Answer answer{.content = root.read_file(question.path)};
    answer.no_room = room.error();
    return answer;
  }
  const GlobPattern pattern(question.path, root);
  const GlobFound found = pattern.find();
  Answer answer{.found = finds_something(found, root)};
  if (!answer.found) answer.cut = found.cut;
  for (PatternPlace& place : pattern.places()) answer.places.push_back(std::move(place.path));
  answer.no_room = room.error();
  return answer;
}

}  // namespace

/// What the threads share with who waits for them. One that hangs keeps it.
struct NodeLook::State {
  struct Asked {
    std::optional<Answer> answer;  ///< The last one.
    bool fresh = false;            ///< It is of this reading.
    int no_room = 0;               ///< Why it is not: the errno.
    std::optional<Clock::time_point> begun{};
  };

  explicit State(HostRoot host_root) : root(std::move(host_root)) {}

  void work();
  void wait_for_all(const std::shared_ptr<State>& self, std::unique_lock<std::mutex>& lock,
                    std::chrono::milliseconds timeout);
  /// False: the machine gives none.
  static bool start_thread(const std::shared_ptr<State>& self);

  static void take(const Question& question, const Asked& asked, NodeFacts& facts);

  const HostRoot root;
  std::mutex reading;  ///< Held during read(), which ends in time.
  std::mutex mutex;
  std::condition_variable changed;
  std::map<Question, Asked> asked;  // Guarded by mutex, as all below.
  std::deque<Question> waiting;
  size_t threads = 0;
};

void NodeLook::State::work() {
  std::unique_lock lock(mutex);
  while (!waiting.empty()) {
    const Question question = std::move(waiting.front());
    waiting.pop_front();
    asked[question].begun = Clock::now();
    changed.notify_all();  // It may become long.
    lock.unlock();
    Answer answer = answer_to(question, root);
    lock.lock();
    if (answer.no_room == 0) {
      asked[question] = {.answer = std::move(answer), .fresh = true};
    } else {
      asked[question].begun.reset();
      asked[question].no_room = answer.no_room;
    }
    changed.notify_all();
  }
  --threads;
}

bool NodeLook::State::start_thread(const std::shared_ptr<State>& self) {
  const SignalsHeld held;
  try {
    std::thread([self] { self->work(); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  ++self->threads;
  return true;
}

void NodeLook::State::wait_for_all(const std::shared_ptr<State>& self,
                                   std::unique_lock<std::mutex>& lock,
                                   std::chrono::milliseconds timeout) {
  bool more = true;
  while (true) {
    const auto now = Clock::now();
    size_t at_work_long = 0;
    std::optional<Clock::time_point> next;
    for (const auto& [question, one] : asked) {
      if (!one.begun) continue;
      const bool is_long = now >= *one.begun + kNodeLong;
      if (is_long) ++at_work_long;
      const auto due = *one.begun + (is_long ? timeout : kNodeLong);
      if (now < due) next = std::min(next.value_or(due), due);
    }
    const size_t wanted = std::min(waiting.size(), at_work_long == 0 ? 1 : kThreadsInTrouble);
    while (more && threads < std::min(at_work_long + wanted, kMostThreads)) {
      more = start_thread(self);
    }
    if (!next && (waiting.empty() || threads == at_work_long)) return;
    changed.wait_until(lock, next.value_or(now + kNodeLong));
  }
}

NodeLook::NodeLook(HostRoot root) : state_(std::make_shared<State>(std::move(root))) {}

NodeLook::~NodeLook() = default;

NodeFacts NodeLook::read(const NodeQuery& query, std::chrono::milliseconds timeout) {
  std::vector<Question> questions;
  for (const std::string& path : query.files) questions.push_back({.path = path});
  for (const std::string& path : query.globs) questions.push_back({.is_glob = true, .path = path});
  NodeFacts facts;
  const std::lock_guard one_at_a_time(state_->reading);
  std::unique_lock lock(state_->mutex);
  for (const Question& question : questions) {
    State::Asked& one = state_->asked[question];
    one.fresh = false;
    one.no_room = 0;
    if (!one.begun) state_->waiting.push_back(question);
  }
  state_->wait_for_all(state_, lock, timeout);
  state_->waiting.clear();
  for (const Question& question : questions)
    State::take(question, state_->asked.at(question), facts);
  lock.unlock();
  std::ranges::sort(facts.unanswered);
  for (const std::string& name : query.variables) {
    if (const char* value = std::getenv(name.c_str())) facts.variables.emplace(name, value);
  }
  return facts;
}

void NodeLook::State::take(const Question& question, const Asked& asked, NodeFacts& facts) {
  const auto& [is_glob, path] = question;
  if (!asked.fresh) facts.unanswered.push_back(path);
  if (asked.no_room != 0) facts.no_room = asked.no_room;
  // Of a pattern that hangs, the directory that hangs is followed, to hear when it answers.
  if (!is_glob) facts.places.push_back(path);
  if (is_glob && !asked.fresh) facts.places.push_back(GlobPattern(path, {}).base());
  if (!asked.answer) {
    facts.unknown.emplace(path, asked.no_room == 0
                                    ? "does not answer"
                                    : std::generic_category().message(asked.no_room));
    return;
  }
  const Answer& answer = *asked.answer;
  facts.places.insert(facts.places.end(), answer.places.begin(), answer.places.end());
  if (answer.content) facts.files.emplace(path, *answer.content);
  if (answer.found) facts.globs.push_back(path);
  if (!answer.cut.empty()) facts.unknown.emplace(path, answer.cut);
}

NodeFacts read_node_facts(const NodeQuery& query, const HostRoot& root) {
  return NodeLook(root).read(query);
}

}  // namespace patchbay::host
