#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "daemon/device_watch.h"
#include "daemon/hang_log.h"
#include "daemon/offer.h"
#include "daemon/pre_start_runner.h"
#include "daemon/threaded_path_checker.h"
#include "health/step_runner.h"
#include "host/host.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/weak_self.h"
#include "loop/work_threads.h"
#include "observe/counters.h"
#include "observe/node_status.h"
#include "pods/allocation_batcher.h"
#include "pods/pod_watch.h"
#include "rules/plan.h"
#include "serve/plugin_host.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// The daemon: what the host has, through the plan that holds, to the kubelet. What belongs to a
/// configuration is in the generation of that plan (DeviceWatch), what belongs to a resource in its
/// Offer. Loop thread.
class Daemon {
 public:
  struct Options {
    std::string kubelet_directory;
    std::string cdi_directory;
    std::string device_info_directory;
    host::HostOptions host;
    size_t max_checks = health::Monitor::kMostChecks;  ///< At once.
    /// The kubelet's socket that tells which Pod holds what; empty: it is not asked.
    std::string pod_resources{};
    /// Called once, when the first plan holds: what it found is offered, and the kubelet waited
    /// for.
    std::function<void()> offering{};
  };

  /// `counters` outlives it.
  Daemon(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
         observe::Counters& counters);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  /// As end().
  ~Daemon();

  /// Begins to look at the host for the plan. When that is done, the plan holds: its resources are
  /// registered. Of a plan before, resources that mean the same keep sockets, streams and health;
  /// changed ones send a new list on the streams that are open; those that are not in the plan send
  /// an empty list and go. On an Error the plan before holds.
  Result<void> set_plan(const rules::PlanPtr& plan);

  /// Ends all streams, closes all sockets, logs what happened to the event sources: nobody else
  /// sees anything of it then. Once; only the destructor may be called after it.
  void end();

  /// What it knows of the node, its resources and the kubelet.
  void describe(observe::NodeStatus& status, const observe::StatusRequest& request) const;
  /// `done` is called once, when it is known who holds what, or is not for a while.
  void refresh_pod_resources(loop::Task done);
  /// `done` is called on gRPC's thread, when that goes on.
  void check_liveness(std::function<void()> done) { plugins_.check_liveness(std::move(done)); }

 private:
  using Offers = std::map<std::string, std::unique_ptr<Offer>>;

  [[nodiscard]] std::unique_ptr<pods::PodWatch> watch_pods(const std::string& socket);
  [[nodiscard]] serve::AnswerContext answer_context();
  void on_resolution(const inventory::Resolution& resolution, std::optional<loop::Time> event_time);
  [[nodiscard]] std::unique_ptr<Offer> make_offer(const std::string& resource);
  void note_elected();
  void publish(const inventory::Resolution& resolution, std::optional<loop::Time> event_time);
  void withdraw(Offers::node_type offer);
  void remove_old_files();
  void remove_device_infos();
  void refresh(const std::vector<std::string>& devices);
  [[nodiscard]] std::function<void(const std::string& resource, std::vector<std::string> ids)>
  note_allocated();

  loop::EventLoop& loop_;
  observe::Counters& counters_;
  loop::WeakSelf<Daemon> weak_self_{this};
  std::shared_ptr<specs::UnitFileStore> files_;
  loop::WorkThreads file_threads_;  ///< For them alone.
  loop::Subscription removing_old_files_;
  /// Not those of the probes: no container waits for what hangs there.
  loop::WorkThreads threads_;
  std::unique_ptr<health::StepRunner> step_runner_;
  PreStartRunner pre_start_runner_;
  ThreadedPathChecker path_checker_;
  std::unique_ptr<pods::PodWatch> pods_;  ///< Null: the kubelet is not asked.
  pods::AllocationBatcher allocations_;   ///< For it; added on gRPC's thread.
  serve::PluginHost plugins_;
  Offers offers_;       ///< By resource.
  Offers withdrawing_;  ///< Those withdrawn whose streams have not ended; by resource.
  HangLog hang_log_;
  bool has_pending_resources_ =
      false;  ///< Resources that are not offered yet for what may only be slow.
  std::function<void()> offering_;  ///< Empty since it was called.
  bool files_expected_ = false;
  bool elected_ = false;  ///< For any resource.
  bool old_files_removed_ = false;
  bool ended_ = false;
  DeviceWatch devices_;
};

}  // namespace patchbay::daemon
