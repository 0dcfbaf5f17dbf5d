#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <utility>

#include "fake/connection_cut.h"
#include "soak/soak.h"

namespace patchbay::soak {
namespace {

namespace fs = std::filesystem;
using fake::ClientRules;

size_t names_in(const fs::path& directory) {
  std::error_code gone;
  size_t count = 0;
  for (fs::directory_iterator entry(directory, gone), end; entry != end; entry.increment(gone)) {
    ++count;
  }
  return count;
}

}  // namespace

std::span<const Soak::Fault> Soak::all_faults() {
  static constexpr std::array<Fault, 37> kFaults = {{
      {"the host changes", &Soak::host_changes},
      {"a storm of changes", &Soak::storm},
      {"the configuration changes", &Soak::configuration_changes},
      {"the configuration breaks", &Soak::configuration_breaks},
      {"a file system hangs", &Soak::something_hangs},
      {"the kubelet restarts", &Soak::kubelet_restarts},
      {"a kubelet of the other generation", &Soak::other_kubelet},
      {"the kubelet is away for a while", &Soak::kubelet_is_away},
      {"a plugin's socket is deleted", &Soak::socket_goes},
      {"kubelet.sock is linked anew", &Soak::socket_is_touched},
      {"the kubelet's directory is made anew", &Soak::directory_is_made_anew},
      {"streams are cut", &Soak::streams_are_cut},
      {"connections are cut", &Soak::connections_are_cut},
      {"Register is refused", &Soak::register_is_refused},
      {"Register hangs", &Soak::register_hangs},
      {"the kubelet reads nothing", &Soak::kubelet_reads_nothing},
      {"a second daemon comes and goes", &Soak::second_comes_and_goes},
      {"the first of two daemons is killed", &Soak::first_is_killed},
      {"the first of two daemons is ended", &Soak::first_is_ended},
      {"the daemon is killed and started", &Soak::killed_and_started},
      {"the daemon is stopped for a moment", &Soak::is_stopped_for_a_moment},
      {"the daemon has no descriptor left", &Soak::has_no_descriptors},
      {"nobody reads the log", &Soak::nobody_reads_the_log},
      {"DRA: the kubelet restarts at a publication", &Soak::kubelet_restarts_at_a_publication},
      {"DRA: the kubelet's connection was idle", &Soak::connection_was_idle},
      {"DRA: the API server is away", &Soak::api_server_is_away},
      {"DRA: the API server is slow", &Soak::api_server_is_slow},
      {"DRA: the API server is busy", &Soak::api_server_is_busy},
      {"DRA: the API server has older data", &Soak::api_server_has_older_data},
      {"DRA: the token is replaced", &Soak::token_is_replaced},
      {"DRA: slices are changed", &Soak::slices_are_changed},
      {"DRA: the CDI directory is emptied", &Soak::cdi_directory_is_emptied},
      {"DRA: the CDI directory is full", &Soak::cdi_directory_is_full},
      {"DRA: the CDI directory is read-only", &Soak::cdi_directory_is_read_only},
      {"DRA: a record is cut", &Soak::record_is_cut},
      {"DRA: devices flap", &Soak::devices_flap},
      {"DRA: a Pod is deleted by force", &Soak::pod_is_deleted_by_force},
  }};
  return kFaults;
}

void Soak::host_changes() {
  for (size_t i = 1 + dice_.below(4); i > 0; --i) {
    switch (dice_.below(5)) {
      case 0:
        host_.plug_some();
        break;
      case 1:
        host_.unplug_some();
        break;
      case 2:
        host_.replace_directory();
        break;
      case 3:
        host_.change_contents();
        break;
      default:
        host_.turn_cable();
    }
  }
}

void Soak::storm() { host_.storm(); }

void Soak::configuration_changes() {
  for (size_t i = 1 + dice_.below(3); i > 0; --i) {
    host_.edit();
    if (dice_.once_in(3)) daemon_->send_signal(SIGHUP);
    if (dice_.once_in(3)) host_changes();
  }
}

/// Makes the configuration invalid. The next edit or the next daemon repairs it.
void Soak::configuration_breaks() {
  host_.break_configuration();
  if (dice_.once_in(3)) daemon_->send_signal(SIGHUP);
  host_changes();
}

/// A path hangs, which must not delay anything else.
void Soak::something_hangs() {
  if (fake::HangingMount::unavailable()) return;
  host_.mend();
  hanging_.emplace();
  host_.add_hanging(*hanging_ / "there");
  host_changes();
  if (!lists_are_right()) failed_ = "while a file system hung";
  if (dice_.once_in(2)) hanging_->let_go();
  host_.remove_hanging();
  if (!lists_are_right()) failed_ = "after the resource was gone that hung";
  hanging_.reset();
}

void Soak::have_one_stream_each() {
  if (std::exchange(most_streams_, 1) > 1) kubelet_->restart();
}

void Soak::kubelet_restarts() { restart_kubelet(); }

void Soak::restart_kubelet() {
  kubelet_->restart();
  pods_.restart_kubelet();
}

void Soak::other_kubelet() {
  start_kubelet(dice_.once_in(2) ? ClientRules::by_name : ClientRules::by_name_and_path);
}

void Soak::kubelet_is_away() {
  kubelet_->stop();
  host_changes();
  if (dice_.once_in(2)) configuration_changes();
  kubelet_->start_again();
}

void Soak::socket_goes() {
  const auto lists = wanted();
  if (!lists) return;
  kubelet_->unlink_plugin_socket(
      std::next(lists->begin(), static_cast<ptrdiff_t>(dice_.below(lists->size())))->first);
}

void Soak::socket_is_touched() { kubelet_->touch_socket(); }

void Soak::directory_is_made_anew() {
  kubelet_->recreate_directory();
  if (dice_.once_in(2)) host_changes();
  kubelet_->restart();
}

void Soak::streams_are_cut() {
  kubelet_->set_faults(
      {.stream_cancels = static_cast<int>(1 + dice_.below(4)), .cancel_after = dice_.below(2)});
  if (dice_.once_in(2)) kubelet_->restart();
  host_.plug_some();
  host_.storm();
}

/// Shuts down connections, as if the peer process ended. If only the answer to Register is lost,
/// the daemon calls Register again. The kubelet opens a stream for each call and keeps both
/// (docs/dev/kubelet.md: Repeated registration).
void Soak::connections_are_cut() {
  most_streams_ = 2;
  if (dice_.once_in(3)) kubelet_->restart();  // This can be during a call of Register.
  if (dice_.once_in(2)) host_.storm();
  const auto cut = dice_.once_in(2) ? fake::Cut::at_once : fake::Cut::within_a_frame;
  for (size_t i = 1 + dice_.below(3); i > 0; --i) {
    if (fake::cut_connections(dir_ / "device-plugins", cut) > 0 && dice_.once_in(2)) {
      host_.plug_some();
    }
  }
}

void Soak::register_is_refused() {
  kubelet_->set_faults({.register_errors = static_cast<int>(1 + dice_.below(3))});
  kubelet_->restart();
}

void Soak::register_hangs() {
  kubelet_->set_faults({.block_register = true});
  kubelet_->restart();
  host_changes();
  kubelet_->set_faults({});
}

void Soak::kubelet_reads_nothing() {
  kubelet_->set_faults({.block_reads = true});
  host_.storm();
  host_changes();
  kubelet_->set_faults({});
}

void Soak::second_comes_and_goes() { end(second_daemon()); }

void Soak::first_is_killed() {
  auto second = second_daemon();
  daemon_->send_signal(SIGKILL);
  if (dice_.once_in(2)) host_changes();
  daemon_->wait();
  daemon_ = std::move(second);
}

void Soak::first_is_ended() {
  auto second = second_daemon();
  end(std::exchange(daemon_, std::move(second)));
}

void Soak::killed_and_started() {
  daemon_->send_signal(SIGKILL);
  daemon_->wait();
  host_changes();
  start_daemon();
}

/// Stops the daemon for a while, as on a node that swaps or under a debugger.
void Soak::is_stopped_for_a_moment() {
  daemon_->send_signal(SIGSTOP);
  host_changes();
  if (dice_.once_in(2)) kubelet_->restart();
  if (dice_.once_in(2)) host_.storm();
  daemon_->send_signal(SIGCONT);
}

/// Lets the daemon open no file for a while.
void Soak::has_no_descriptors() {
  rlimit before{};
  if (::prlimit(daemon_->pid(), RLIMIT_NOFILE, nullptr, &before) != 0) return;
  const rlimit none{.rlim_cur = 8, .rlim_max = before.rlim_max};
  ::prlimit(daemon_->pid(), RLIMIT_NOFILE, &none, nullptr);
  host_changes();
  if (dice_.once_in(2)) kubelet_->restart();
  if (dice_.once_in(2)) host_.storm();
  ::prlimit(daemon_->pid(), RLIMIT_NOFILE, &before, nullptr);
}

/// Causes more log lines than the pipe and the daemon's queue can hold.
void Soak::nobody_reads_the_log() {
  constexpr size_t kRefusals = 400;
  constexpr size_t kLength = 3000;
  daemons_.log().hold(true);
  for (size_t i = 0; i < kRefusals; ++i) {
    const std::string unknown = std::to_string(i) + std::string(kLength, 'x');
    if (kubelet_->allocate("y.io/fixed", {unknown})) failed_ = "it gave what it does not have";
  }
  host_changes();
  if (!lists_are_right()) failed_ = "while nobody read the log";
  daemons_.log().hold(false);
}

void Soak::start_kubelet(ClientRules rules) {
  kubelet_.reset();
  kubelet_ = std::make_unique<fake::FakeKubelet>(fake::FakeKubelet::Options{
      .directory = dir_ / "device-plugins", .rules = rules, .seed = options_.seed});
}

/// Repairs the configuration first, because a daemon that starts with an invalid one exits.
void Soak::start_daemon() {
  host_.mend();
  daemon_ = daemons_.start();
}

std::unique_ptr<fake::Process> Soak::second_daemon() {
  host_.mend();
  if (!lists_are_right()) failed_ = "before the second daemon";
  auto second = daemons_.start();
  const auto stands_by = [&] {
    std::error_code gone;
    size_t places = 0;
    for (const auto& place : fs::directory_iterator(dir_ / "device-plugins/patchbay", gone)) {
      if (names_in(place.path()) < 2) return false;
      ++places;
    }
    return places > 0;
  };
  if (!fake::wait_until(stands_by)) failed_ = "the second daemon does not stand by";
  return second;
}

void Soak::end(std::unique_ptr<fake::Process> daemon) {
  daemon->send_signal(SIGTERM);
  const int code = daemon->wait().exit_code;
  if (code != 0) failed_ = "a daemon that was ended ended with " + std::to_string(code);
}

}  // namespace patchbay::soak
