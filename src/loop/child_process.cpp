#include "loop/child_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::loop {
namespace {

constexpr const char* kUsualPath =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A pipe holds so much; at most that was written before a process ended.
constexpr size_t kPipe = size_t{64} << 10U;

/// One run, alive until it is told or given up.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(ChildOptions options, std::move_only_function<void(ChildResult)> done)
      : options_(std::move(options)), done_(std::move(done)) {}

  Result<void> start(EventLoop& loop) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("cannot make a pipe", errno);
    output_ = UniqueFd(ends[0]);
    const UniqueFd theirs(ends[1]);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);  // Of our end only.
    auto process = loop.spawn({.arguments = options_.arguments,
                               .environment = options_.environment,
                               .output = theirs.get(),
                               .until_ended = std::move(options_.until_ended)},
                              [self = weak_from_this()](ProcessEnd end) {
                                if (const auto run = self.lock()) run->ended(end);
                              });
    if (!process) return std::unexpected(std::move(process).error());
    process_ = *std::move(process);
    reading_ = loop.watch_readable(output_.get(), [self = weak_from_this()](FdEvent) {
      if (const auto run = self.lock()) run->read();
    });
    timer_ = loop.after(options_.timeout, [self = weak_from_this()] {
      if (const auto run = self.lock()) run->finish(ChildResult::Kind::timed_out, 0);
    });
    return {};
  }

  void give_up() {
    process_.reset();
    reading_.reset();
    timer_.reset();
    output_.reset();
    done_ = nullptr;
  }

 private:
  void ended(ProcessEnd end) {
    read();
    if (end.signal != 0) {
      finish(ChildResult::Kind::signalled, end.signal);
    } else {
      finish(ChildResult::Kind::exited, end.exit_code);
    }
  }

  /// Not until nothing is left: someone may write without end.
  void read() {
    std::array<char, 8192> buffer{};
    for (size_t taken = 0; taken < kPipe;) {
      const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) reading_.reset();  // It closed its output, and runs on.
      if (got <= 0) return;
      taken += static_cast<size_t>(got);
      keep({buffer.data(), static_cast<size_t>(got)});
    }
  }

  void keep(std::string_view text) {
    kept_ += text;
    if (kept_.size() > options_.output_limit) kept_.erase(0, kept_.size() - options_.output_limit);
  }

  void finish(ChildResult::Kind kind, int number) {
    auto done = std::move(done_);
    ChildResult result{.kind = kind, .number = number, .output = std::move(kept_)};
    give_up();
    if (done) done(std::move(result));
  }

  ChildOptions options_;
  std::move_only_function<void(ChildResult)> done_;
  UniqueFd output_;
  std::string kept_;
  Subscription process_;
  Subscription reading_;
  Subscription timer_;
};

}  // namespace

Result<Subscription> run_child(EventLoop& loop, ChildOptions options,
                               std::move_only_function<void(ChildResult)> done) {
  const auto run = std::make_shared<Run>(std::move(options), std::move(done));
  if (auto started = run->start(loop); !started) return std::unexpected(started.error());
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

}  // namespace patchbay::loop
