#include "fake/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace patchbay::fake {
namespace {

std::pair<UniqueFd, UniqueFd> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Process::Process(std::vector<std::string> argv,
                 const std::map<std::string, std::string>& environment) {
  auto [child_in, input] = make_pipe();
  auto [output, child_out] = make_pipe();
  auto [errors, child_err] = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_in.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_out.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_err.get(), STDERR_FILENO);
  auto variables = environment_with(environment);
  const int failed = posix_spawnp(&pid_, argv[0].c_str(), &actions, nullptr,
                                  pointers_to(argv).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + argv[0]);
  input_ = std::move(input);
  output_ = std::move(output);
  errors_ = std::move(errors);
  readers_.emplace_back([this] { read_lines(output_.get(), false); });
  readers_.emplace_back([this] { read_lines(errors_.get(), true); });
}

Process::~Process() {
  if (!reaped_) {
    kill(pid_, SIGKILL);
    wait();
  }
}

void Process::read_lines(int fd, bool error_stream) {
  std::string pending;
  std::array<char, 65536> buffer{};
  ssize_t size = 0;
  while ((size = read(fd, buffer.data(), buffer.size())) > 0) {
    pending.append(buffer.data(), static_cast<size_t>(size));
    for (size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      lines_.add({error_stream, pending.substr(0, end)});
      pending.erase(0, end + 1);
    }
  }
  if (!pending.empty()) lines_.add({error_stream, pending});
}

std::optional<std::string> Process::wait_for_line(const std::string& text, size_t from) const {
  const auto found = lines_.wait_for(
      [&](const Line& line) { return line.text.find(text) != std::string::npos; }, from);
  return found ? std::optional(found->text) : std::nullopt;
}

size_t Process::count_lines(const std::string& text) const {
  return lines_.count([&](const Line& line) { return line.text.find(text) != std::string::npos; });
}

void Process::write(const std::string& text) const {
  if (::write(input_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("cannot write to the process");
  }
}

void Process::send_signal(int signal_number) const { kill(pid_, signal_number); }

Finished Process::wait(std::chrono::milliseconds patience) {
  // A thread waits for the process, so that this one can time out.
  int status = 0;
  EventLog<int> ended;
  std::thread waiter([&] {
    waitpid(pid_, &status, 0);
    ended.add(status);
  });
  if (!ended.wait_until([](const auto& events) { return !events.empty(); }, patience)) {
    kill(pid_, SIGKILL);
  }
  waiter.join();
  reaped_ = true;
  for (std::thread& reader : readers_) reader.join();
  readers_.clear();
  Finished finished{.exit_code = exit_code_of(status), .out = {}, .err = {}};
  for (const Line& line : lines_.all()) {
    (line.error_stream ? finished.err : finished.out) += line.text + "\n";
  }
  return finished;
}

Finished run_process(std::vector<std::string> argv,
                     const std::map<std::string, std::string>& environment) {
  Process process(std::move(argv), environment);
  process.close_input();
  return process.wait();
}

std::string patchbay_binary() {
  const char* path = std::getenv("PATCHBAY_BINARY");
  if (path == nullptr) throw std::runtime_error("PATCHBAY_BINARY is not set: run it by ctest");
  return path;
}

}  // namespace patchbay::fake
