#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_kubelet.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::fake {

/// Runs the real daemon as a process against a FakeKubelet, in its own directory.
class DaemonTest : public ::testing::Test {
 protected:
  using Kind = KubeletEvent::Kind;
  using Devices = FakeKubelet::Devices;

  void start_kubelet(ClientRules rules = ClientRules::by_name_and_path) {
    kubelet_ = std::make_unique<FakeKubelet>(
        FakeKubelet::Options{.directory = kubelet_directory(), .rules = rules});
  }

  void start_daemon(const std::string& config, const std::vector<std::string>& more = {}) {
    start_daemon_in({}, config, more);
  }

  /// `prefix` is a command that starts the daemon, for instance in a namespace.
  void start_daemon_in(std::vector<std::string> prefix, const std::string& config,
                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> argv = std::move(prefix);
    const std::vector<std::string> own{patchbay_binary(),   "run",
                                       "--config",          dir_.write("config.yaml", config),
                                       "--kubelet-dir",     kubelet_directory(),
                                       "--cdi-dir",         dir_ / "cdi",
                                       "--device-info-dir", dir_ / "devinfo",
                                       "--status-socket",   status_socket(),
                                       "--pod-resources",   pod_resources(),
                                       "--log-format",      "json",
                                       "--log-level",       "debug"};
    argv.insert(argv.end(), own.begin(), own.end());
    argv.insert(argv.end(), more.begin(), more.end());
    daemon_ = std::make_unique<Process>(argv);
  }

  /// Sends the signal and waits for the daemon's exit.
  Finished stop_daemon(int signal_number = SIGTERM) {
    daemon_->send_signal(signal_number);
    return daemon_->wait();
  }

  [[nodiscard]] std::string status_socket() const { return dir_ / "run/status.sock"; }
  [[nodiscard]] std::string pod_resources() const { return dir_ / "pod-resources/kubelet.sock"; }
  [[nodiscard]] std::string kubelet_directory() const { return dir_ / "device-plugins"; }

  /// "id=Healthy id=Unhealthy", in the order listed.
  static std::string text_of(const Devices& devices) {
    std::string text;
    for (const auto& device : devices) {
      if (!text.empty()) text += ' ';
      text += device.id + (device.healthy ? "=Healthy" : "=Unhealthy");
    }
    return text;
  }

  /// Waits for the list `wanted`. A failure shows all lists and the logs.
  testing::AssertionResult lists(const std::string& resource, const std::string& wanted,
                                 size_t from = 0) const {
    const auto matches = [&](const Devices& devices) { return text_of(devices) == wanted; };
    if (kubelet_->wait_for_list(resource, matches, from)) return testing::AssertionSuccess();
    auto failure = testing::AssertionFailure() << "no list '" << wanted << "' of " << resource;
    for (const auto& event : kubelet_->history(resource)) {
      failure << "\n  " << text_of(*event.devices);
    }
    failure << "\nThe kubelet's story:\n" << kubelet_->story() << "The daemon's log:";
    for (const auto& line : daemon_->lines().all()) failure << "\n  " << line.text;
    return failure;
  }

  TempDir dir_;
  std::unique_ptr<FakeKubelet> kubelet_;
  std::unique_ptr<Process> daemon_;
};

}  // namespace patchbay::fake
