#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fake/fake_kubelet.h"
#include "fake/hanging_mount.h"
#include "fake/process.h"
#include "fake/temp_dir.h"
#include "soak/daemons.h"
#include "soak/host.h"
#include "soak/pods.h"
#include "soak/small_disk.h"

namespace patchbay::soak {

struct Options {
  uint32_t seed = 1;
  size_t faults = 0;  ///< Number of faults; 0 if only the time ends the run.
  std::chrono::minutes minutes{2};
  size_t mebibytes = 64;  ///< Memory limit of the daemon; 0 for none.
};

/// Runs a daemon with random faults of the kubelet, the API server, the host and the daemon itself.
/// After each fault the kubelet's lists must match a fresh scan of the host, and the DRA driver's
/// files and slices must match the Pods. For one thread.
class Soak {
 public:
  explicit Soak(const Options& options);

  /// Runs all faults. Returns whether all checks passed; prints failures to standard error.
  [[nodiscard]] bool run();

 private:
  /// The expected lists: by resource, whether each of its units is healthy.
  using Lists = std::map<std::string, std::map<std::string, bool>>;

  struct Fault {
    const char* name;
    void (Soak::*happen)();
  };
  [[nodiscard]] static std::span<const Fault> all_faults();

  // The faults, in faults.cpp. Faults of the host:
  void host_changes();
  void storm();
  void configuration_changes();
  void configuration_breaks();
  void something_hangs();
  // Faults of the kubelet:
  void kubelet_restarts();
  void other_kubelet();
  void kubelet_is_away();
  void socket_goes();
  void socket_is_touched();
  void directory_is_made_anew();
  void streams_are_cut();
  void connections_are_cut();
  void register_is_refused();
  void register_hangs();
  void kubelet_reads_nothing();
  // Faults of the daemon's process:
  void second_comes_and_goes();
  void first_is_killed();
  void first_is_ended();
  void killed_and_started();
  void is_stopped_for_a_moment();
  void has_no_descriptors();
  void nobody_reads_the_log();
  // Faults around the DRA driver, in dra_faults.cpp:
  void kubelet_restarts_at_a_publication();
  void connection_was_idle();
  void api_server_is_away();
  void api_server_is_slow();
  void api_server_is_busy();
  void api_server_has_older_data();
  void token_is_replaced();
  void slices_are_changed();
  void cdi_directory_is_emptied();
  void cdi_directory_is_full();
  void cdi_directory_is_read_only();
  void record_is_cut();
  void devices_flap();
  void pod_is_deleted_by_force();
  void fail_requests(const kube::FakeApiServer::Failure& failure);

  void restart_kubelet();
  void start_kubelet(fake::ClientRules rules);
  void have_one_stream_each();
  void start_daemon();
  /// Starts another daemon, and waits until it is on standby for all resources.
  [[nodiscard]] std::unique_ptr<fake::Process> second_daemon();
  /// Ends the daemon, which must exit by itself.
  void end(std::unique_ptr<fake::Process> daemon);

  // The checks, in checks.cpp. They print a failure and return false, or null.
  [[nodiscard]] std::optional<Lists> wanted() const;
  [[nodiscard]] bool lists_are_right() const;
  [[nodiscard]] bool pods_are_right();
  [[nodiscard]] bool gives_units(const Lists& lists) const;
  [[nodiscard]] bool nothing_leaked();
  /// Checks that many restarts of the kubelet cause no lasting growth of the daemon's memory.
  [[nodiscard]] bool memory_is_level();
  [[nodiscard]] std::string difference(const Lists& wanted) const;
  [[nodiscard]] bool says(const std::string& what) const;

  const Options options_;
  Dice dice_;
  Host host_;
  fake::TempDir dir_;
  std::unique_ptr<fake::FakeKubelet> kubelet_;
  Daemons daemons_;
  SmallDisk cdi_disk_;
  Pods pods_;
  std::unique_ptr<fake::Process> daemon_;
  std::optional<fake::HangingMount> hanging_;
  std::optional<Holdings> at_home_;  ///< The daemon's resource use in its first initial state.
  size_t most_streams_ = 1;          ///< Maximum number of streams of a resource.
  std::string failed_;               ///< The failure after a fault.
};

}  // namespace patchbay::soak
