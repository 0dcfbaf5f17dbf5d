// Measures the daemon as a process against a fake kubelet, with real hot-plug. As root:
//
//   serving_bench PATCHBAY [plug|wakes|monitoring|start|storm|reload|takeover|http]...
//
// Other figures come from scripts/bench. `plug` and `storm` start a udevd if none runs.
#include <libudev.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include <fmt/core.h>

#include "bench/bench_daemon.h"
#include "bench/http_flood_bench.h"
#include "bench/monitoring_bench.h"
#include "bench/reload_bench.h"
#include "bench/report.h"
#include "bench/start_bench.h"
#include "bench/takeover_bench.h"
#include "fake/kernel_devices.h"
#include "fake/temp_dir.h"
#include "fake/udev_daemon.h"

namespace patchbay::bench {
namespace {

using std::chrono_literals::operator""s;
namespace fs = std::filesystem;

std::string zram_config() {
  return header() + "  - {name: zram, match: {subsystem: block, name: \"zram*\"}, id: $(name)}\n";
}

/// Observes when another program than the daemon receives udev's event of a device.
class UdevObserver {
 public:
  UdevObserver()
      : udev_(udev_new(), udev_unref),
        monitor_(udev_monitor_new_from_netlink(udev_.get(), "udev"), udev_monitor_unref) {
    udev_monitor_enable_receiving(monitor_.get());
  }

  /// The time at which the event `action` of the device `name` arrives; null if none arrives within
  /// a second.
  std::optional<Clock::time_point> wait_for(const std::string& name, const std::string& action) {
    pollfd descriptor{.fd = udev_monitor_get_fd(monitor_.get()), .events = POLLIN, .revents = 0};
    while (poll(&descriptor, 1, 1000) == 1) {
      const auto at = Clock::now();
      const std::unique_ptr<udev_device, udev_device* (*)(udev_device*)> device(
          udev_monitor_receive_device(monitor_.get()), udev_device_unref);
      if (device && name == udev_device_get_sysname(device.get()) &&
          action == udev_device_get_action(device.get())) {
        return at;
      }
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<udev, udev* (*)(udev*)> udev_;
  std::unique_ptr<udev_monitor, udev_monitor* (*)(udev_monitor*)> monitor_;
};

int hot_add() {
  int number = -1;
  std::ifstream("/sys/class/zram-control/hot_add") >> number;
  if (number < 0)
    throw std::runtime_error("zram hot_add failed: load the module zram, and run as root");
  return number;
}

void hot_remove(int number) {
  for (int attempt = 0; attempt < 2000; ++attempt) {
    std::ofstream file("/sys/class/zram-control/hot_remove");
    if (file << number << std::flush) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // EBUSY while udev reads it.
  }
  throw std::runtime_error("zram hot_remove failed");
}

/// Measures the time from udev's event, which all programs receive at the same time, to the list.
void measure_plugs(const std::string& binary, int plugs) {
  const fake::UdevDaemon udevd;
  if (!udevd.runs()) throw std::runtime_error("udevd does not run");
  const fake::TempDir files;
  for (int i = 0; i < 1000; ++i) files.write(fmt::format("other-{}", i), "");
  Bench bench(binary, zram_config() + "  - {name: other, match: {glob: " + files.path() +
                          "/*}, id: $(name)}\n");
  bench.wait_for("example.com/zram", [](const Devices&) { return true; });
  UdevObserver udev;
  std::vector<Nanoseconds> times;
  for (int i = 0; i < plugs; ++i) {
    const size_t mark = bench.kubelet().log().size();
    const int number = hot_add();
    const std::string name = "zram" + std::to_string(number);
    const auto event = udev.wait_for(name, "add");
    if (!event) throw std::runtime_error("no event of udevd for " + name);
    const auto listed = bench.wait_for_unit("example.com/zram", name, true, mark);
    times.push_back(std::max(Nanoseconds{0}, Nanoseconds(listed - *event)));
    hot_remove(number);
    if (!fake::UdevDaemon::settle()) throw std::runtime_error("udevd does not process its queue");
  }
  print_times("zram udev event -> list, 1 000 other devices", times);
}

void print_wake_ups(const std::string& what, int pid) {
  constexpr auto kWatched = 60s;
  const ThreadWakeUps before = wake_ups_of(pid);
  std::this_thread::sleep_for(kWatched);
  print_figure(what, wake_up_figure(before, wake_ups_of(pid), kWatched));
}

/// Measures wake-ups after the kubelet has stopped. scripts/bench measures those of an idle daemon.
void measure_wake_ups(const std::string& binary) {
  Bench bench(binary, header() + "  - {name: \"null\", match: {glob: /dev/null}, id: $(name)}\n");
  bench.wait_for_unit("example.com/null", "null", true, 0);
  bench.kubelet().stop();
  std::this_thread::sleep_for(30s);
  print_wake_ups("wake-ups 30 s after the kubelet has stopped", bench.pid());
}

/// Measures a storm of uevents. `match` has further conditions of the rule.
void measure_storm(const std::string& binary, const std::string& what, const std::string& match) {
  constexpr int kPlugs = 5;
  constexpr int kEvents = 20'000;
  Bench bench(binary, header() + "  - {name: zram, match: {subsystem: block, name: \"zram*\"" +
                          match + "}, id: $(name)}\n");
  bench.wait_for("example.com/zram", [](const Devices&) { return true; });
  std::vector<Nanoseconds> times;
  const auto cpu = cpu_of(bench.pid());
  for (int i = 0; i < kPlugs; ++i) {
    if (!fake::uevent_storm(fake::kNullDevice, kEvents))
      throw std::runtime_error("writing uevents failed");
    const size_t mark = bench.kubelet().log().size();
    const auto start = Clock::now();
    const int number = hot_add();
    const std::string name = "zram" + std::to_string(number);
    times.push_back(bench.wait_for_unit("example.com/zram", name, true, mark) - start);
    if (!fake::UdevDaemon::settle()) throw std::runtime_error("udevd does not process its queue");
    hot_remove(number);
    fake::UdevDaemon::settle();
  }
  print_times("zram hot_add behind 20 000 uevents -> list, " + what, times);
  print_figure("CPU time of each plug, " + what,
               fmt::format("{} ms", (cpu_of(bench.pid()) - cpu).count() / kPlugs));
}

void measure_storms(const std::string& binary) {
  const fake::UdevDaemon udevd;
  if (!udevd.runs()) throw std::runtime_error("udevd does not run");
  measure_storm(binary, "facts of the kernel", "");
  measure_storm(binary, "facts of udev", ", property: {DEVNAME: \"*\"}");
}

int main_of(const std::string& binary, const std::set<std::string>& sections) {
  const auto wanted = [&](const char* section) {
    return sections.empty() || sections.contains(section);
  };
  print_figure("binary",
               fmt::format("{:.1f} MB", static_cast<double>(fs::file_size(binary)) / 1e6));
  if (wanted("plug")) measure_plugs(binary, 500);
  if (wanted("wakes")) measure_wake_ups(binary);
  if (wanted("monitoring")) measure_monitoring(binary);
  if (wanted("start")) measure_starts(binary);
  if (wanted("storm")) measure_storms(binary);
  if (wanted("reload")) measure_reload(binary);
  if (wanted("takeover")) measure_takeover(binary);
  if (wanted("http")) measure_http_floods(binary);
  return 0;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "usage: serving_bench PATCHBAY "
               "[plug|wakes|monitoring|start|storm|reload|takeover|http]...\n");
    return 2;
  }
  try {
    return patchbay::bench::main_of(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "serving_bench: {}\n", error.what());
    return 1;
  }
}
