#pragma once

#include <fcntl.h>
#include <libudev.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fake/kernel_devices.h"

namespace patchbay::fake {

/// Runs udevd for the lifetime of this object. If the machine's own udevd runs, that one is used
/// and left alone. Requires root.
class UdevDaemon {
 public:
  static constexpr const char* kProgram = "/lib/systemd/systemd-udevd";

  /// Whether a udevd runs and answers.
  [[nodiscard]] static bool answers() {
    return ::access("/run/udev/control", F_OK) == 0 && control("--ping");
  }
  /// Why no udevd can run here, for skipping a test.
  [[nodiscard]] static std::optional<std::string> unavailable() {
    if (::geteuid() != 0) return "udevd takes root";
    if (::access(kProgram, X_OK) == 0 || answers()) return std::nullopt;
    return std::string("udevd is not installed: ") + kProgram;
  }

  UdevDaemon() {
    if (answers()) {
      runs_ = true;
      return;
    }
    start();
    runs_ = pid_ > 0 && wait_until(answers);
  }
  UdevDaemon(const UdevDaemon&) = delete;
  UdevDaemon& operator=(const UdevDaemon&) = delete;
  ~UdevDaemon() { stop(); }

  [[nodiscard]] bool runs() const { return runs_; }
  /// Whether this object started udevd, so that stop() ends it.
  [[nodiscard]] bool ours() const { return pid_ > 0; }

  /// Waits until udevd has processed all past events. Returns false if udevd finishes no event
  /// within `patience`.
  static bool settle(std::chrono::milliseconds patience = kPatience) {
    const std::unique_ptr<udev, Deleter> context(udev_new());
    const std::unique_ptr<udev_monitor, Deleter> done(
        udev_monitor_new_from_netlink(context.get(), "udev"));
    if (!done || udev_monitor_enable_receiving(done.get()) != 0) return false;
    while (!settled()) {
      if (!wait_until([&] { return reports(done.get()) || settled(); }, patience)) return false;
    }
    return true;
  }

  /// Stops udevd's event queue, as if udevd were busy; resume() starts it again.
  static bool pause() { return paused_ = control("--stop-exec-queue"); }
  static bool resume() {
    paused_ = !control("--start-exec-queue");
    return !paused_;
  }

  /// Ends the udevd that was started here, and removes its socket. Unless it is paused, it first
  /// processes all past events. Otherwise the record of a removed device would stay, and the next
  /// device with its number would inherit it.
  void stop() {
    if (pid_ > 0 && !paused_) settle();
    paused_ = false;
    if (pid_ > 0) end(SIGTERM);
    if (std::exchange(left_socket_, false)) ::unlink("/run/udev/control");
  }
  /// Kills it. Its socket stays until stop().
  void kill() {
    if (pid_ > 0) end(SIGKILL);
  }

 private:
  struct Deleter {
    void operator()(udev* context) const { udev_unref(context); }
    void operator()(udev_monitor* monitor) const { udev_monitor_unref(monitor); }
    void operator()(udev_device* device) const { udev_device_unref(device); }
  };

  /// Reads all events that udevd has reported. Returns false if there are none.
  static bool reports(udev_monitor* monitor) {
    using Device = std::unique_ptr<udev_device, Deleter>;
    bool received = false;
    while (const Device device{udev_monitor_receive_device(monitor)}) received = true;
    return received;
  }
  /// Checks the same as `udevadm settle`. The command itself is unreliable: it waits only 5 s for
  /// udevd's answer, and then leaves its request open. The next call is refused and reports
  /// success.
  [[nodiscard]] static bool settled() { return !is_queued() && answers() && !is_queued(); }
  [[nodiscard]] static bool is_queued() { return ::access("/run/udev/queue", F_OK) == 0; }
  /// Waits for the end of the command, because udevd accepts only one control connection at a time.
  static bool control(const std::string& command) {
    const auto patience = std::chrono::ceil<std::chrono::seconds>(kPatience).count();
    return run_command({"udevadm", "control", command, fmt::format("--timeout={}", patience)}) == 0;
  }

  void end(int signal_number) {
    ::kill(pid_, signal_number);
    const auto ended = [this] { return ::waitpid(pid_, nullptr, WNOHANG) != 0; };
    if (!wait_until(ended)) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
    runs_ = false;
    left_socket_ = true;
  }

  /// Starts udevd as a child in the foreground, so that its process id is known.
  void start() {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    char* argv[] = {const_cast<char*>(kProgram), nullptr};
    if (posix_spawn(&pid_, kProgram, &actions, nullptr, argv, environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
  }

  inline static bool paused_ = false;  ///< The state that the running udevd was set to.
  pid_t pid_ = -1;
  bool runs_ = false;
  bool left_socket_ = false;
};

}  // namespace patchbay::fake
