#include "loop/program_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"
#include "base/whereabouts.h"
#include "loop/may_block.h"

namespace patchbay::loop {
namespace {

/// A script's interpreter may be a script; the kernel follows as many.
constexpr int kMostInterpreters = 5;

/// The first bytes, as execve() reads them. That there are none it says itself.
std::string head_of(const std::string& path) {
  struct stat status {};
  // To open a device or a FIFO may do something to it.
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  std::array<char, 4096> bytes{};
  const ssize_t size = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  return size > 0 ? std::string(bytes.data(), static_cast<size_t>(size)) : std::string();
}

/// "/bin/sh" of "#! /bin/sh -e"; else empty.
std::string interpreter_in(std::string_view head) {
  if (!head.starts_with("#!")) return {};
  head.remove_prefix(2);
  head = head.substr(0, head.find('\n'));
  head.remove_prefix(std::min(head.find_first_not_of(" \t"), head.size()));
  return std::string(head.substr(0, head.find_first_of(" \t")));
}

void read_ahead(std::string path, Whereabouts& whereabouts) {
  MayBlock::check();
  for (int i = 0; i <= kMostInterpreters && path.starts_with('/'); ++i) {
    whereabouts.set(path);
    path = interpreter_in(head_of(path));
  }
}

/// One run, alive until it is told or given up.
class ProgramRun : public std::enable_shared_from_this<ProgramRun> {
 public:
  ProgramRun(EventLoop& loop, ChildOptions options,
             std::move_only_function<void(ProgramResult)> done)
      : loop_(loop), options_(std::move(options)), done_(std::move(done)) {}

  void look(BlockingWork& work) {
    const std::string& path = options_.arguments.front();
    const auto whereabouts = std::make_shared<Whereabouts>();
    whereabouts->set(path);
    running_ = work.run(
        "program " + path, options_.timeout,
        [path, whereabouts] { read_ahead(path, *whereabouts); },
        [weak = weak_from_this(), whereabouts](WorkOutcome outcome) {
          if (const auto run = weak.lock()) run->looked(outcome, *whereabouts);
        });
  }

  void give_up() {
    done_ = nullptr;
    running_.reset();
  }

 private:
  void looked(WorkOutcome outcome, const Whereabouts& whereabouts);
  void start();
  void finish(ProgramResult result) {
    auto done = std::move(done_);
    give_up();
    if (done) done(std::move(result));
  }

  EventLoop& loop_;
  ChildOptions options_;
  std::move_only_function<void(ProgramResult)> done_;
  Time end_ = loop_.now() + options_.timeout;
  Subscription running_;
};

void ProgramRun::looked(WorkOutcome outcome, const Whereabouts& whereabouts) {
  using Kind = ProgramResult::Kind;
  switch (outcome) {
    case WorkOutcome::done:
      return start();
    case WorkOutcome::timed_out:
    case WorkOutcome::still_hanging:
      return finish({.kind = Kind::hangs, .reason = does_not_answer(whereabouts.get())});
    case WorkOutcome::no_thread:
      return finish({.kind = Kind::no_thread});
  }
}

void ProgramRun::start() {
  constexpr Milliseconds kLeast{1};
  options_.timeout = std::max(kLeast, std::chrono::ceil<Milliseconds>(end_ - loop_.now()));
  auto child = run_child(loop_, options_, [weak = weak_from_this()](ChildResult result) {
    if (const auto run = weak.lock()) run->finish({.child = std::move(result)});
  });
  if (!child) {
    return finish(
        {.kind = ProgramResult::Kind::cannot_start, .reason = std::move(child).error().message});
  }
  running_ = *std::move(child);
}

}  // namespace

Subscription run_program(EventLoop& loop, BlockingWork& work, ChildOptions options,
                         std::move_only_function<void(ProgramResult)> done) {
  const auto run = std::make_shared<ProgramRun>(loop, std::move(options), std::move(done));
  run->look(work);
  return Subscription([run] { run->give_up(); });
}

}  // namespace patchbay::loop
