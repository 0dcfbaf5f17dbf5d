#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/change_log.h"
#include "daemon/device_watch.h"
#include "daemon/dra_host.h"
#include "daemon/offer.h"
#include "daemon/pre_start_runner.h"
#include "host/host.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"
#include "plugin/plugin_host.h"
#include "pods/allocation_batcher.h"
#include "pods/pod_watch.h"
#include "rules/plan/plan_fwd.h"
#include "specs/unit_file_store.h"
#include "status/counters.h"
#include "status/node_status.h"
#include "steps/step_runner.h"

namespace patchbay::daemon {

/// Offers the host's devices to the kubelet as the active plan says. DeviceWatch has the state of a
/// configuration. An Offer has the state of a resource, and outlives configurations. Loop thread.
class Daemon {
 public:
  struct Options {
    std::string kubelet_directory;
    std::string cdi_directory;
    std::string device_info_directory;
    host::HostOptions host;
    size_t max_checks = health::Monitor::kMaxChecks;  ///< Maximum number of concurrent probes.
    /// The socket of the kubelet's PodResources API (the devices of each Pod); empty: not used.
    std::string pod_resources{};
    /// The daemon's own Pod: see PodResources::at().
    std::string own_pod{};
    /// Settings of DRA, except the directories that are above.
    std::string kubelet_root = "/var/lib/kubelet";
    std::string node{};                       ///< The name of this node.
    std::vector<std::string> kube_command{};  ///< See DraOptions.
    loop::Milliseconds dra_check_period = driver::ClaimReconciler::kPeriod;
    /// Called once, when the first plan is active and its resources are offered.
    std::function<void()> offering{};
  };

  /// `counters` outlives this object.
  Daemon(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
         status::Counters& counters);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  /// Calls end().
  ~Daemon();

  /// Scans the host for the plan, then makes it active and registers its resources. If another plan
  /// is active, first queries the kubelet for the devices of the Pods. The first plan waits until
  /// the records of ResourceClaims were read.
  ///
  /// Resources that are equivalent in the previous plan keep their sockets, streams and health.
  /// Changed resources send a new list on open streams. Removed resources send an empty list and
  /// are withdrawn.
  void set_plan(const rules::PlanPtr& plan);

  /// Ends all streams, closes all sockets, removes the device-info files, and logs the counts of
  /// the event sources. CDI specs stay. Only the destructor may follow.
  void end();

  /// Fills in the state of the resources, the event sources and the kubelet.
  void describe(status::NodeStatus& status, const status::StatusRequest& request) const;
  /// Queries the kubelet for the devices of the Pods. Calls `done` once, after the answer or
  /// PodWatch::kRefreshTimeout.
  void refresh_pod_resources(loop::Task done);
  /// Calls `done` on gRPC's thread. If that thread is stalled, the call waits.
  void check_liveness(std::function<void()> done) { plugins_.check_liveness(std::move(done)); }

 private:
  /// The name of a resource, and the kind of its sink. If the kind changes, the resource is
  /// withdrawn and offered again. A resource has one Offer at a time.
  using OfferKey = std::pair<std::string, SinkKind>;
  using Offers = std::map<OfferKey, std::unique_ptr<Offer>>;

  [[nodiscard]] std::unique_ptr<pods::PodWatch> watch_pods(const Options& options);
  [[nodiscard]] plugin::AnswerContext answer_context();
  void on_resolution(const inventory::Resolution& resolution);
  [[nodiscard]] static OfferKey key_of(const inventory::ResolvedResource& resource);
  /// Null if there is none, of any kind.
  [[nodiscard]] static const Offer* find_offer(const Offers& offers, const std::string& resource);
  [[nodiscard]] std::unique_ptr<Offer> make_offer(const OfferKey& key);
  void note_elected();
  void publish(const inventory::Resolution& resolution);
  void on_acknowledged();
  /// Queries the kubelet regularly while a Pod has a unit of FormerUnits.
  void follow_held_units();
  void withdraw(Offers::node_type offer);
  void remove_old_files();
  void remove_device_infos();
  void refresh(const std::vector<std::string>& devices);
  [[nodiscard]] std::function<void(const std::string& resource, std::vector<std::string> ids)>
  note_allocated();

  loop::EventLoop& loop_;
  status::Counters& counters_;
  loop::WeakSelf<Daemon> weak_self_{this};
  std::string cdi_directory_;
  std::shared_ptr<specs::UnitFileStore> files_;
  loop::WorkQueue file_queue_;  ///< For unit files only.
  loop::Subscription removing_old_files_;
  /// For `preStart` and the kubelet's PodResources API. Probes have another queue, so that a hung
  /// probe does not delay the start of a container.
  loop::WorkQueue queue_;
  std::unique_ptr<steps::StepRunner> step_runner_;
  PreStartRunner pre_start_runner_;
  plugin::AnswerPaths answer_paths_;
  std::unique_ptr<pods::PodWatch> pods_;  ///< Null: the kubelet is not queried.
  pods::AllocationBatcher allocations_;   ///< For pods_; filled on gRPC's thread.
  plugin::PluginHost plugins_;
  DraHost dra_;
  bool claims_loaded_ = false;
  rules::PlanPtr first_plan_;  ///< Waits for claims_loaded_.
  rules::PlanPtr published_;   ///< The plan of the last publish().
  Offers offers_;
  Offers withdrawing_;            ///< Withdrawn offers with open streams.
  bool withholds_units_ = false;  ///< Some lists lack units whose devices another list still has.
  loop::Subscription publishing_;
  HangLog hang_log_;
  loop::Subscription held_timer_;
  bool has_pending_resources_ = false;  ///< Some resources wait for a slow path.
  std::function<void()> offering_;      ///< Empty after its call.
  bool files_expected_ = false;
  bool elected_ = false;  ///< For at least one resource.
  bool old_files_removed_ = false;
  bool ended_ = false;
  DeviceWatch devices_;
};

}  // namespace patchbay::daemon
