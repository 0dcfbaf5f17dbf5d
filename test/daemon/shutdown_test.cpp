// Tests that SIGTERM ends the daemon at any time, even if an operation hangs.
#include <fstream>
#include <future>

#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/hanging_mount.h"
#include "fake/kernel_devices.h"

namespace patchbay {
namespace {

using testing::HasSubstr;

/// The value of a field in /proc/PID/status.
std::string status_of(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return {};
}

/// Whether the process is patchbay and blocks SIGTERM, which it does first. An earlier signal ends
/// the process by default.
bool holds_signals(pid_t pid) {
  if (status_of(pid, "Name") != "patchbay") return false;
  const std::string blocked = status_of(pid, "SigBlk");
  return !blocked.empty() && (std::stoull(blocked, nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
}

bool reads_a_pipe(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/wchan");
  std::string place;
  return file >> place && place.find("pipe") != std::string::npos;
}

/// Waits that many milliseconds, to reach another point of the daemon's start.
void let_pass(int moment) {
  static_cast<void>(fake::wait_until([] { return false; }, std::chrono::milliseconds(moment)));
}

class ShutdownTest : public fake::DaemonTest {
 protected:
  /// Starts the daemon without the leak check at its end, which would wait for the hung path.
  void start_to_hang(const std::string& config, const std::string& kubelet_directory) {
    daemon_ = std::make_unique<fake::Process>(std::vector<std::string>{
        "env", "ASAN_OPTIONS=detect_leaks=0", fake::patchbay_binary(), "run", "--config",
        dir_.write("config.yaml", config), "--kubelet-dir", kubelet_directory, "--status-socket",
        status_socket(), "--log-format", "json"});
  }

  /// The daemon's log from the message that the shutdown timed out.
  static std::string last_words(const fake::Finished& end) {
    const size_t at = end.err.find(R"("level":"error","message":"shutdown timed out)");
    EXPECT_NE(at, std::string::npos) << end.err;
    return at == std::string::npos ? std::string() : end.err.substr(at);
  }

  static pid_t child_of(pid_t pid) {
    const std::string task = std::to_string(pid);
    std::ifstream children("/proc/" + task + "/task/" + task + "/children");
    pid_t child = 0;
    children >> child;
    return child;
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(ShutdownTest, SignalDuringStartEndsDaemonCleanly) {
  // Each daemon gets its signal a little later after its first instruction.
#ifdef __SANITIZE_ADDRESS__
  constexpr int kStep = 4;  // Each start takes ten times as long.
#else
  constexpr int kStep = 1;
#endif
  for (int moment = 0; moment < 40; moment += kStep) {
    start_daemon(gophers_.config());
    ASSERT_TRUE(fake::wait_until([&] { return holds_signals(daemon_->pid()); }));
    let_pass(moment);
    const auto end = stop_daemon(moment / kStep % 2 == 0 ? SIGTERM : SIGINT);
    ASSERT_EQ(end.exit_code, 0) << "after " << moment << " ms\n" << end.err;
  }
}

TEST_F(ShutdownTest, ContainerInitProcessLosesNoSignal) {
  if (fake::run_command({"unshare", "--pid", "--fork", "true"}) != 0) {
    GTEST_SKIP() << "no process id namespace of one's own here";
  }
  for (int moment = 0; moment < 20; ++moment) {
    start_daemon_in({"unshare", "--pid", "--fork", "--kill-child"}, gophers_.config());
    pid_t first = 0;
    ASSERT_TRUE(fake::wait_until([&] {
      first = child_of(daemon_->pid());
      return first != 0 && holds_signals(first);
    }));
    let_pass(moment);
    ::kill(first, SIGTERM);
    const auto end = daemon_->wait();
    ASSERT_EQ(end.exit_code, 0) << "after " << moment << " ms\n" << end.err;
  }
}

TEST_F(ShutdownTest, SignalDuringConfigurationReadEndsDaemon) {
  // The pipe of standard input stays open, so the read does not end.
  fake::Process daemon({fake::patchbay_binary(), "run", "--config", "-"});
  ASSERT_TRUE(fake::wait_until([&] { return holds_signals(daemon.pid()); }));
  daemon.send_signal(SIGTERM);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST_F(ShutdownTest, OtherCommandsEndOnSignal) {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    fake::Process command({fake::patchbay_binary(), "validate", "-"});
    ASSERT_TRUE(fake::wait_until([&] { return reads_a_pipe(command.pid()); }));
    command.send_signal(signal_number);
    EXPECT_EQ(command.wait().exit_code, 128 + signal_number);
  }
}

TEST_F(ShutdownTest, HungLoopIsLoggedAndEnded) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::HangingMount mount;
  gophers_.plug("g1");
  start_to_hang(gophers_.config(), mount / "device-plugins");
  const auto still = daemon_->wait_for_line("\"thread stalled\"");
  ASSERT_TRUE(still);
  EXPECT_THAT(*still, HasSubstr(R"("thread":"loop","activity":"what was posted")"));

  const auto end = stop_daemon();
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(last_words(end), HasSubstr(R"("thread":"loop","activity":"what was posted")"));
}

TEST_F(ShutdownTest, HungAllocateDoesNotBlockShutdown) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::HangingMount mount;
  gophers_.plug("g1");
  start_kubelet();
  start_to_hang(gophers_.config("    mounts: [{hostPath: " + (mount / "tools") +
                                ", containerPath: /tools, optional: true}]\n"),
                kubelet_directory());
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy"));
  auto call =
      std::async(std::launch::async, [&] { return kubelet_->allocate(fake::kGopher, {"g1"}); });
  ASSERT_TRUE(fake::wait_until([&] { return fake::hangs_on_mount(daemon_->pid()); }));
  const auto end = stop_daemon();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_FALSE(call.get());
}

}  // namespace
}  // namespace patchbay
