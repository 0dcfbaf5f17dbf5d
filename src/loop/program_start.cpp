#include "loop/program_start.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "base/scoped_signal_block.h"
#include "loop/may_block.h"

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer takes clone() for fork(), and hears of no lock of the thread after that. The C
// library has it under this name, too.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);
#define clone __clone
#endif

namespace patchbay::loop {
namespace {

/// Exit code of a process that did not become its program, as shells have it.
constexpr int kNotStarted = 127;

/// For the few calls that it makes before it is the program.
constexpr size_t kStack = size_t{64} << 10U;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// All that the process needs, made before: it shares our memory and may not allocate.
struct Prepared {
  ProgramStart& start;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  UniqueFd input;
  UniqueFd output;
};

/// What the process does, while the thread that made it waits. It has our memory until it is the
/// program, and descriptors of its own, of which it keeps none: it may hang here, and sockets that
/// we close then must be closed.
int become_program(void* argument) {
  const auto& prepared = *static_cast<Prepared*>(argument);
  ProgramStart& start = prepared.start;
  start.pid = ::getpid();
  if (start.cancelled) return kNotStarted;
  // No handler of ours may run here once signals are let in. Not by sigaction(), of which
  // sanitizers keep account in the memory that is our parent's, too. All zeros are SIG_DFL without
  // flags.
  constexpr std::array<std::byte, 64> kUsual{};
  constexpr size_t kSignals = 64;
  for (size_t number = 1; number <= kSignals; ++number) {
    ::syscall(SYS_rt_sigaction, number, kUsual.data(), nullptr, kSignals / 8);
  }
  if (::setsid() >= 0 && ::chdir("/") == 0 && ::dup2(prepared.input.get(), STDIN_FILENO) >= 0 &&
      ::dup2(prepared.output.get(), STDOUT_FILENO) >= 0 &&
      ::dup2(prepared.output.get(), STDERR_FILENO) >= 0) {
    ::closefrom(STDERR_FILENO + 1);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // What is no binary and names no interpreter is a script of the shell.
    ::execvpe(prepared.arguments.front(), prepared.arguments.data(), prepared.environment.data());
  }
  start.error = errno;
  return kNotStarted;
}

/// A descriptor of the same that is none of the three that the program gets.
UniqueFd above_standard_fds(const UniqueFd& fd) {
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

void start_now(ProgramStart& start) {
  Prepared prepared{.start = start,
                    .arguments = pointers_to(start.arguments),
                    .environment = pointers_to(start.environment),
                    .input = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
                    .output = above_standard_fds(start.output)};
  if (prepared.input) prepared.input = above_standard_fds(prepared.input);
  if (!prepared.input || !prepared.output) {
    start.error = errno;
    return;
  }
  const auto stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
  const ScopedSignalBlock signal_block;
  // As vfork() does: nothing of our memory is copied, and this thread waits. Not posix_spawn(),
  // which tells the number of the process only when it is the program: one that hangs on its way
  // there could not be killed.
  const pid_t pid =
      ::clone(become_program, stack.get() + kStack, CLONE_VM | CLONE_VFORK | SIGCHLD, &prepared);
  if (pid < 0) {
    start.error = errno;
  } else {
    start.pid = pid;  // Also where it was killed before it could say so.
  }
}

}  // namespace

void start_program(ProgramStart& start) {
  MayBlock::check();
  if (!start.cancelled) start_now(start);
  start.output.reset();
}

}  // namespace patchbay::loop
