#include "loop/child_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/duration.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace patchbay::loop {
namespace {

constexpr const char* kUsualPath =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Capacity of a pipe: the most that was written before a process ended.
constexpr size_t kPipe = size_t{64} << 10U;

/// One run, alive until it is finished or cancelled.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(ChildOptions options, std::move_only_function<void(ChildResult)> done)
      : options_(std::move(options)), done_(std::move(done)) {}

  void start(EventLoop& loop, BlockingWork& work);

  void give_up() {
    process_.reset();
    reading_.reset();
    timer_.reset();
    output_.reset();
    done_ = nullptr;
  }

 private:
  template <typename Function>
  auto guarded(Function function) {
    return [weak = weak_from_this(), function = std::move(function)](auto&&... arguments) {
      if (const auto run = weak.lock()) function(*run, std::move(arguments)...);
    };
  }

  void started(EventLoop& loop);
  void ended(ChildResult result) {
    if (reading_) read();
    finish(std::move(result));
  }

  /// Does not read until the pipe is empty: a process may write without end.
  void read() {
    std::array<char, 8192> buffer{};
    for (size_t taken = 0; taken < kPipe;) {
      const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) reading_.reset();  // It closed its output and continues.
      if (got <= 0) return;
      taken += static_cast<size_t>(got);
      keep({buffer.data(), static_cast<size_t>(got)});
    }
  }

  void keep(std::string_view text) {
    kept_ += text;
    if (kept_.size() > options_.output_limit) kept_.erase(0, kept_.size() - options_.output_limit);
  }

  void finish(ChildResult result) {
    auto done = std::move(done_);
    result.output = std::move(kept_);
    give_up();
    if (done) done(std::move(result));
  }

  ChildOptions options_;
  std::move_only_function<void(ChildResult)> done_;
  UniqueFd output_;
  std::string kept_;
  Time end_{};
  Subscription process_;
  Subscription reading_;
  Subscription timer_;
};

void Run::start(EventLoop& loop, BlockingWork& work) {
  end_ = loop.now() + options_.timeout;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    const std::string reason = std::generic_category().message(errno);
    timer_ = loop.after(Milliseconds::zero(), guarded([reason](Run& run) {
                          run.finish({.kind = ChildResult::Kind::cannot_start, .reason = reason});
                        }));
    return;
  }
  output_ = UniqueFd(ends[0]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);  // Only for our end.
  process_ = loop.spawn(
      {.arguments = options_.arguments,
       .environment = std::move(options_.environment),
       .output = UniqueFd(ends[1]),
       .start_within = options_.timeout,
       .until_ended = std::move(options_.until_ended)},
      work,
      {.started = guarded([&loop](Run& run) { run.started(loop); }),
       .ended = guarded([](Run& run, ChildResult result) { run.ended(std::move(result)); })});
}

void Run::started(EventLoop& loop) {
  reading_ = loop.watch_readable(output_.get(), guarded([](Run& run, FdEvent) { run.read(); }));
  constexpr Milliseconds kLeast{1};
  timer_ =
      loop.after(std::max(kLeast, std::chrono::ceil<Milliseconds>(end_ - loop.now())),
                 guarded([](Run& run) { run.finish({.kind = ChildResult::Kind::timed_out}); }));
}

/// The last line with more than white space. Empty if there is none.
std::string_view last_line(std::string_view output) {
  output = trim_end(output);
  // A carriage return starts the line again on a terminal, as progress bars do.
  const size_t end = output.find_last_of("\n\r");
  if (end != std::string_view::npos) output.remove_prefix(end + 1);
  output.remove_prefix(std::min(output.find_first_not_of(" \t"), output.size()));
  return output;
}

std::string signal_text(int number) {
  const char* meaning = ::sigdescr_np(number);
  if (meaning == nullptr) return fmt::format("ended by signal {}", number);
  return fmt::format("ended by signal {} ({})", number, meaning);
}

}  // namespace

Subscription run_child(EventLoop& loop, BlockingWork& work, ChildOptions options,
                       std::move_only_function<void(ChildResult)> done) {
  const auto run = std::make_shared<Run>(std::move(options), std::move(done));
  run->start(loop, work);
  return Subscription([run] { run->give_up(); });
}

std::vector<std::string> child_environment(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> environment{path != nullptr ? std::string("PATH=") + path : kUsualPath};
  for (const std::string& name : names) {
    if (const char* value = std::getenv(name.c_str())) {
      environment.push_back(name + '=' + value);
    }
  }
  return environment;
}

std::string timeout_text(Milliseconds timeout) {
  return "no answer within " + duration_text(timeout);
}

std::string program_fault(const ChildResult& result, Milliseconds timeout) {
  using Kind = ChildResult::Kind;
  switch (result.kind) {
    case Kind::timed_out:
      return timeout_text(timeout);
    case Kind::signalled:
      return signal_text(result.number);
    case Kind::cannot_start:
      return printable(result.reason);
    case Kind::hung:
      return result.reason;
    case Kind::no_thread:
      return kNoThreadText;
    case Kind::exited:
      break;
  }
  if (result.number == 0) return {};
  const std::string_view line = last_line(result.output);
  return line.empty() ? fmt::format("exit code {}", result.number) : printable(line);
}

}  // namespace patchbay::loop
