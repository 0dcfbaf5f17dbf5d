#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <net/if.h>

#include "base/unique_fd.h"
#include "fake/patience.h"

/// Real devices of the running kernel, with real hot-plug events. For tests as root, one at a time
/// (RESOURCE_LOCK kernel). Uevents are global, so a test checks only names that it created.
namespace patchbay::fake {

/// Runs a command to its end and discards its output. Returns its exit code, or -1 if it could not
/// start or a signal ended it.
inline int run_command(const std::vector<std::string>& argv) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Writes to a file of the kernel. Returns 0 or the errno.
inline int write_to_kernel(const std::string& path, const std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), text.data(), text.size()) < 0 ? errno : 0;
}

/// The resource under which tests offer ZramDevices.
inline constexpr const char* kZram = "example.com/zram";

/// A compressed RAM disk: a block device /dev/zramN that exists for the lifetime of this object.
class ZramDevice {
 public:
  /// Why this machine cannot create one, as a reason to skip a test.
  [[nodiscard]] static std::optional<std::string> unavailable() {
    if (::access("/sys/class/zram-control/hot_add", R_OK) == 0) return std::nullopt;
    return "no zram to plug here: it takes root, and a kernel with zram";
  }

  ZramDevice() {
    std::ifstream hot_add("/sys/class/zram-control/hot_add");
    if (!(hot_add >> number_)) throw std::runtime_error("zram: hot_add failed");
  }
  ZramDevice(ZramDevice&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ZramDevice& operator=(ZramDevice&&) = delete;
  ZramDevice(const ZramDevice&) = delete;
  ZramDevice& operator=(const ZramDevice&) = delete;
  ~ZramDevice() { unplug(); }

  [[nodiscard]] std::string name() const { return "zram" + std::to_string(number_); }
  [[nodiscard]] std::string devnode() const { return "/dev/" + name(); }
  [[nodiscard]] std::string syspath() const { return "/sys/devices/virtual/block/" + name(); }

  /// Retries while a program, such as udevd, has the device open. Returns false if it stays busy.
  bool unplug() {
    if (number_ < 0) return true;
    int failed = EBUSY;
    const bool answered = wait_until([&] {
      failed = write_to_kernel("/sys/class/zram-control/hot_remove", std::to_string(number_));
      return failed != EBUSY;
    });
    if (answered && failed == 0) number_ = -1;
    return number_ < 0;
  }

 private:
  int number_ = -1;
};

/// Two network interfaces joined by a cable, for the lifetime of this object.
class VethPair {
 public:
  /// Why this machine cannot create one, as a reason to skip a test. Tries to create one.
  [[nodiscard]] static std::optional<std::string> unavailable() {
    const VethPair pair("pbprobe0", "pbprobe1");
    if (pair.made_) return std::nullopt;
    return "no veth to plug here: it takes root, iproute2, and a kernel with veth";
  }

  VethPair(std::string name, const std::string& peer) : name_(std::move(name)) {
    made_ = run_command({"ip", "link", "add", name_, "type", "veth", "peer", "name", peer}) == 0;
  }
  VethPair(const VethPair&) = delete;
  VethPair& operator=(const VethPair&) = delete;
  ~VethPair() { unplug(); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] std::string syspath() const { return "/sys/devices/virtual/net/" + name_; }

  bool rename(const std::string& name) {
    if (run_command({"ip", "link", "set", name_, "name", name}) != 0) return false;
    name_ = name;
    return true;
  }
  bool unplug() {
    if (std::exchange(made_, false)) return run_command({"ip", "link", "del", name_}) == 0;
    return true;
  }
  /// Sets one of the interfaces up or down.
  static bool set_up(const std::string& end, bool up) {
    return run_command({"ip", "link", "set", end, up ? "up" : "down"}) == 0;
  }

 private:
  std::string name_;
  bool made_ = false;
};

/// A network namespace like that of a Pod, for the lifetime of this object.
class NetworkNamespace {
 public:
  explicit NetworkNamespace(std::string name) : name_(std::move(name)) {
    made_ = run_command({"ip", "netns", "add", name_}) == 0;
  }
  NetworkNamespace(const NetworkNamespace&) = delete;
  NetworkNamespace& operator=(const NetworkNamespace&) = delete;
  ~NetworkNamespace() {
    if (made_) run_command({"ip", "netns", "del", name_});
  }

  [[nodiscard]] bool made() const { return made_; }
  /// Moves an interface of this process's namespace there; give_back() moves it back.
  [[nodiscard]] bool take(const std::string& interface) const {
    return run_command({"ip", "link", "set", interface, "netns", name_}) == 0;
  }
  [[nodiscard]] bool give_back(const std::string& interface) const {
    return run_command({"ip", "-n", name_, "link", "set", interface, "netns", "1"}) == 0;
  }

 private:
  std::string name_;
  bool made_ = false;
};

/// A macvtap network interface and its character device /dev/tapN. One plug event creates both, for
/// the lifetime of this object.
class MacvtapDevice {
 public:
  /// `below` is the interface that it uses. `index` is that of the interface, and N of the node; 0
  /// selects an unused one.
  MacvtapDevice(const std::string& below, std::string name, unsigned index = 0)
      : name_(std::move(name)) {
    std::vector<std::string> add = {"ip", "link", "add", "link", below, "name", name_};
    if (index != 0) add.insert(add.end(), {"index", std::to_string(index)});
    add.insert(add.end(), {"type", "macvtap"});
    made_ = run_command(add) == 0;
    index_ = if_nametoindex(name_.c_str());
  }
  MacvtapDevice(const MacvtapDevice&) = delete;
  MacvtapDevice& operator=(const MacvtapDevice&) = delete;
  ~MacvtapDevice() { unplug(); }

  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] std::string name() const { return name_; }
  [[nodiscard]] std::string syspath() const { return "/sys/devices/virtual/net/" + name_; }
  [[nodiscard]] std::string tap_name() const { return "tap" + std::to_string(index_); }
  [[nodiscard]] std::string tap_syspath() const { return syspath() + "/macvtap/" + tap_name(); }

  bool unplug() {
    if (std::exchange(made_, false)) return run_command({"ip", "link", "del", name_}) == 0;
    return true;
  }

 private:
  std::string name_;
  bool made_ = false;
  unsigned index_ = 0;
};

/// Makes the kernel send `count` uevents of the device at full speed. Returns false if a write
/// fails.
inline bool uevent_storm(const std::string& syspath, int count,
                         const std::string& action = "change") {
  const UniqueFd fd(::open((syspath + "/uevent").c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return false;
  for (int i = 0; i < count; ++i) {
    if (::write(fd.get(), action.data(), action.size()) < 0) return false;
  }
  return true;
}

/// A device that every machine has, for uevents that change nothing.
inline constexpr const char* kNullDevice = "/sys/devices/virtual/mem/null";

}  // namespace patchbay::fake
