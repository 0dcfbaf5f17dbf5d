#include "bench/start_bench.h"

#include <signal.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>

#include "bench/report.h"
#include "fake/fake_kubelet.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::bench {
namespace {

constexpr int kStarts = 20;
constexpr int kStarted = 100;
constexpr size_t kDevicesEach = 100;

std::string resource_name(int number) { return fmt::format("example.com/r{}", number); }

/// Creates files as devices. Returns the configuration for them.
std::string make_devices(const fake::TempDir& dir) {
  std::string config =
      "apiVersion: patchbay/v1\nkind: Config\ndefaults: {domain: example.com}\nresources:\n";
  for (int r = 0; r < kStarted; ++r) {
    for (size_t i = 0; i < kDevicesEach; ++i) {
      dir.write(fmt::format("files/r{}/unit-{}-{}", r, r, i), "");
    }
    config += fmt::format("  - {{name: r{}, match: {{glob: {}/files/r{}/*}}, id: $(name)}}\n", r,
                          dir.path(), r);
  }
  return config;
}

/// Starts the daemon once. Ends it by the signal after all lists arrived.
Nanoseconds start_once(const std::vector<std::string>& command, const fake::FakeKubelet& kubelet,
                       int ended_by) {
  const auto all_devices = [](const auto& devices) { return devices.size() == kDevicesEach; };
  const size_t mark = kubelet.log().size();
  const auto begin = std::chrono::steady_clock::now();
  fake::Process daemon(command);
  auto last = begin;
  for (int r = 0; r < kStarted; ++r) {
    const auto listed = kubelet.wait_for_list(resource_name(r), all_devices, mark);
    if (!listed) throw std::runtime_error("no list received: " + resource_name(r));
    last = std::max(last, listed->at);
  }
  daemon.send_signal(ended_by);
  daemon.wait();
  const auto none_open = [&](const auto&) { return kubelet.streams_open() == 0; };
  if (!kubelet.log().wait_until(none_open)) throw std::runtime_error("a stream has not ended");
  return last - begin;
}

}  // namespace

void measure_starts(const std::string& binary) {
  const fake::TempDir dir;
  const fake::FakeKubelet kubelet({.directory = dir / "device-plugins"});
  const std::vector<std::string> command = {binary,
                                            "run",
                                            "--log-level",
                                            "warning",
                                            "--config",
                                            dir.write("config.yaml", make_devices(dir)),
                                            "--kubelet-dir",
                                            dir / "device-plugins",
                                            "--status-socket",
                                            dir / "status.sock"};
  start_once(command, kubelet, SIGTERM);  // After this start, the kernel has the files in memory.
  std::vector<Nanoseconds> clean;
  for (int i = 0; i < kStarts; ++i) clean.push_back(start_once(command, kubelet, SIGTERM));
  print_times("start -> last first list, 10 000 files", clean);
  start_once(command, kubelet, SIGKILL);
  std::vector<Nanoseconds> after_kill;
  for (int i = 0; i < kStarts; ++i) after_kill.push_back(start_once(command, kubelet, SIGKILL));
  print_times("the same, after SIGKILL of the previous one", after_kill);
}

}  // namespace patchbay::bench
