#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/wall_clock.h"
#include "inventory/near_miss.h"
#include "inventory/resolution.h"
#include "model/event_counts.h"
#include "rules/plan/plan_fwd.h"
#include "rules/plan/probe.h"
#include "status/dra_status.h"
#include "status/pod_resources_status.h"
#include "status/registration_status.h"

/// To add a value of the status:
/// - Add its field here. Daemon::describe() fills it on the loop thread.
/// - Add it to render/status_json.cpp and schemas/status.v1.schema.json.
/// - Print it in cli/commands/status_view.cpp.
namespace patchbay::status {

/// The result of one run of a probe.
struct ProbeResult {
  rules::Verdict verdict;
  std::chrono::steady_clock::time_point at;  ///< End of the run.
  std::chrono::nanoseconds lasted{};
};

/// The state of one probe of a unit.
struct ProbeStatus {
  size_t probe = 0;                 ///< Index into rules::GroupPlan::health.
  std::optional<ProbeResult> last;  ///< Null: no run has ended yet.
  /// Start of the current run. Null if the probe is not running.
  std::optional<std::chrono::steady_clock::time_point> runs_since;
  bool late = false;  ///< The probe is not running, and is overdue by more than its period.
};

/// The probes of one unit, in the order of the configuration.
using UnitProbes = std::vector<ProbeStatus>;

/// The probes of all units of a resource.
struct ProbesStatus {
  size_t running = 0;
  size_t late = 0;
  /// In the order of Snapshot::units. Empty if not requested.
  std::vector<UnitProbes> units;
};

/// A group that no device matches, in a resource without units. `miss` names the device that came
/// nearest to a match. Immutable; any thread.
struct UnmatchedGroup {
  inventory::NearMiss miss;
  std::string candidates{};  ///< The number of candidates as text: `12 devices of the subsystem
                             ///< "tty"`.
  std::string no_candidate_reason{};  ///< Why there is no candidate; empty if there is one.
};

/// All unmatched groups, and the plan that they refer to.
struct UnmatchedReport {
  rules::PlanPtr plan;  ///< Null: no plan has been resolved yet.
  std::vector<UnmatchedGroup> groups{};
};

/// A unit whose device disappeared or no longer matched.
struct LostUnit {
  std::string id;
  std::string reason;  ///< Empty: the unit was removed from the list at once.
  std::chrono::steady_clock::time_point since;
};

/// The program, and the node and process in which it runs.
struct ProgramStatus {
  std::string version;
  std::string commit;  ///< Empty: not built from a repository.
  std::string built;   ///< The date of the commit.
  std::string node;
  std::string pod;  ///< NAMESPACE/NAME, from the environment. Empty: not known.
  std::string kernel;
  int64_t process = 0;  ///< Process id.
  std::chrono::steady_clock::time_point since;
};

/// The active configuration, and the reason if a later one was rejected.
struct ConfigurationStatus {
  uint64_t number = 1;  ///< Number of the active configuration. Each reload has a higher one.
  std::chrono::steady_clock::time_point since{};
  std::vector<std::string> files{};  ///< Files and directories that were read last; sorted.
  std::string digest{};              ///< Digest of the files of the active configuration.
  /// Why the last configuration was rejected. Empty if it was accepted.
  std::string refused{};
  std::chrono::steady_clock::time_point refused_since{};
  bool followed = true;       ///< Changes of the files are watched.
  bool unresponsive = false;  ///< A file system with the files does not answer.
};

struct KubeletStatus {
  std::string directory;
  std::string unavailable_reason;               ///< Empty: the kubelet is available.
  std::chrono::steady_clock::time_point since;  ///< When the kubelet became unavailable.
};

struct ResourceStatus {
  inventory::ResolvedResource resolved;
  RegistrationStatus registration;
  ProbesStatus probes{};
  std::vector<LostUnit> lost{};  ///< The units that were lost last and have not returned.
};

/// The status of the running daemon at one time. Past events are in Journal, counts in Counters.
/// Immutable. Any thread.
struct NodeStatus {
  WallClock clock;
  std::chrono::steady_clock::time_point at;
  ProgramStatus program;
  ConfigurationStatus configuration;
  KubeletStatus kubelet;
  rules::PlanPtr plan;                    ///< Null: the first scan is not complete.
  std::vector<ResourceStatus> resources;  ///< In the order of the plan.
  std::vector<DraDriver> dra{};           ///< The driver of the plan first.
  EventCounts events;                     ///< Counts since the start of the process.
  EventSources event_sources;
  PodResourcesStatusPtr assignments;  ///< Null: the kubelet is not asked for assignments.
};

using NodeStatusPtr = std::shared_ptr<const NodeStatus>;
using UnmatchedReportPtr = std::shared_ptr<const UnmatchedReport>;

/// The expensive values of the status that a request wants.
struct StatusRequest {
  bool probes = false;  ///< The state of each probe.
  /// For each unit, the containers that have it. The kubelet may be queried first, with a short
  /// timeout.
  bool assignments = false;
  std::string resource{};  ///< Name of the only wanted resource. Empty for all resources.
};

/// Provides the status to the HTTP server. Any thread may call.
class StatusSource {
 public:
  virtual ~StatusSource() = default;
  /// Calls `done` once, soon, on a thread of the source. `done` must not block. If that thread is
  /// blocked, `done` is not called.
  virtual void request_status(StatusRequest request, std::function<void(NodeStatusPtr)> done) = 0;
  /// Scans the host and calls `done` with the unmatched groups of resources without units. `done`
  /// gets null if the host did not answer in time.
  virtual void request_unmatched(std::function<void(UnmatchedReportPtr)> done) = 0;
  /// Calls `done` after every essential thread of the daemon has made progress.
  virtual void check_liveness(std::function<void()> done) = 0;
};

}  // namespace patchbay::status
