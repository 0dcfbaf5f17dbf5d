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
#include "loop/event_loop.h"
#include "loop/may_block.h"

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer treats clone() like fork() and then misses the locks of the thread. The C library
// also exports it under this name.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);
#define clone __clone
#endif

namespace patchbay::loop {
namespace {

/// Exit code of a process that could not execute its program, as in shells.
constexpr int kNotStarted = 127;

/// Stack for the few calls before it executes the program.
constexpr size_t kStack = size_t{64} << 10U;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Everything that the process needs, prepared in advance: it shares our memory and must not
/// allocate.
struct Prepared {
  ProgramStart& start;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  UniqueFd input;
  UniqueFd output;
  UniqueFd socket;  ///< May be empty.
};

/// Runs in the new process, while its parent thread waits. It shares our memory until it executes
/// the program. It has its own descriptors and closes all of them: it may hang here, and sockets
/// that we close must be closed.
int become_program(void* argument) {
  const auto& prepared = *static_cast<Prepared*>(argument);
  ProgramStart& start = prepared.start;
  start.pid = ::getpid();
  if (start.cancelled) return kNotStarted;
  // Resets all handlers before signals are unblocked, because no handler of ours may run here.
  // Sanitizers track sigaction() in memory that the parent shares, so the system call is used. All
  // zeros are SIG_DFL without flags.
  constexpr std::array<std::byte, 64> kUsual{};
  constexpr size_t kSignals = 64;
  for (size_t number = 1; number <= kSignals; ++number) {
    ::syscall(SYS_rt_sigaction, number, kUsual.data(), nullptr, kSignals / 8);
  }
  if (::setsid() >= 0 && ::chdir("/") == 0 && ::dup2(prepared.input.get(), STDIN_FILENO) >= 0 &&
      ::dup2(prepared.output.get(), STDOUT_FILENO) >= 0 &&
      ::dup2(prepared.output.get(), STDERR_FILENO) >= 0) {
    const bool has_socket =
        prepared.socket && ::dup2(prepared.socket.get(), ProcessSpec::kChildSocket) >= 0;
    ::closefrom(has_socket ? ProcessSpec::kChildSocket + 1 : ProcessSpec::kChildSocket);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // A file that is neither a binary nor names an interpreter is a shell script.
    ::execvpe(prepared.arguments.front(), prepared.arguments.data(), prepared.environment.data());
  }
  start.error = errno;
  return kNotStarted;
}

/// A duplicate of the descriptor above those that the program gets.
UniqueFd above_child_fds(const UniqueFd& fd) {
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, ProcessSpec::kChildSocket + 1));
}

void start_now(ProgramStart& start) {
  Prepared prepared{.start = start,
                    .arguments = pointers_to(start.arguments),
                    .environment = pointers_to(start.environment),
                    .input = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
                    .output = above_child_fds(start.output),
                    .socket = {}};
  if (start.socket) prepared.socket = above_child_fds(start.socket);
  if (prepared.input) prepared.input = above_child_fds(prepared.input);
  if (!prepared.input || !prepared.output || (start.socket && !prepared.socket)) {
    start.error = errno;
    return;
  }
  const auto stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
  const ScopedSignalBlock signal_block;
  // Like vfork(): no memory is copied, and this thread waits. With posix_spawn(), a process that
  // hangs before the program executes could not be killed, because its pid is returned only after
  // that.
  const pid_t pid =
      ::clone(become_program, stack.get() + kStack, CLONE_VM | CLONE_VFORK | SIGCHLD, &prepared);
  if (pid < 0) {
    start.error = errno;
  } else {
    start.pid = pid;  // Also if it was killed before it could set it.
  }
}

}  // namespace

void start_program(ProgramStart& start) {
  MayBlock::check();
  if (!start.cancelled) start_now(start);
  start.output.reset();
  start.socket.reset();
}

}  // namespace patchbay::loop
