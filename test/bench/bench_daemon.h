#pragma once

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fake/fake_kubelet.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::bench {

using Clock = std::chrono::steady_clock;
using Devices = fake::FakeKubelet::Devices;

/// Runs a daemon with a configuration and a fake kubelet.
class Bench {
 public:
  Bench(const std::string& binary, const std::string& config,
        const std::vector<std::string>& more = {})
      : kubelet_({.directory = dir_ / "device-plugins"}),
        started_(Clock::now()),
        daemon_(arguments(binary, config, more)) {}
  [[nodiscard]] std::string status_socket() const { return dir_ / "status.sock"; }
  ~Bench() {
    daemon_.send_signal(SIGTERM);
    daemon_.wait();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Clock::time_point wait_for(const std::string& resource,
                             const std::function<bool(const Devices&)>& wanted, size_t from = 0) {
    const auto event = kubelet_.wait_for_list(resource, wanted, from);
    if (!event) throw std::runtime_error("no list received: " + resource);
    return event->at;
  }
  Clock::time_point wait_for_unit(const std::string& resource, const std::string& id, bool healthy,
                                  size_t from) {
    return wait_for(
        resource,
        [&](const Devices& devices) {
          return std::ranges::any_of(
              devices, [&](const auto& d) { return d.id == id && d.healthy == healthy; });
        },
        from);
  }

  /// Writes the configuration. Returns the time of the change.
  Clock::time_point edit(const std::string& config) {
    dir_.write("config.yaml", config);
    return Clock::now();
  }
  /// Makes the daemon read the configuration at once, without waiting for further changes.
  void read_again() { daemon_.send_signal(SIGHUP); }

  /// The kubelet's directory with the sockets of plugins.
  [[nodiscard]] std::string directory() const { return dir_ / "device-plugins"; }
  fake::FakeKubelet& kubelet() { return kubelet_; }
  [[nodiscard]] int pid() const { return daemon_.pid(); }
  [[nodiscard]] Clock::time_point started() const { return started_; }

 private:
  [[nodiscard]] std::vector<std::string> arguments(const std::string& binary,
                                                   const std::string& config,
                                                   const std::vector<std::string>& more) const {
    std::vector<std::string> all{binary,
                                 "run",
                                 "--log-level",
                                 "warning",
                                 "--config",
                                 dir_.write("config.yaml", config),
                                 "--kubelet-dir",
                                 dir_ / "device-plugins",
                                 "--status-socket",
                                 status_socket()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  fake::TempDir dir_;
  fake::FakeKubelet kubelet_;
  Clock::time_point started_;
  fake::Process daemon_;
};

inline std::string header() {
  return "apiVersion: patchbay/v1\nkind: Config\n"
         "defaults: {domain: example.com, linger: 0s}\nresources:\n";
}

}  // namespace patchbay::bench
