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
#include "status/pod_resources_status.h"
#include "status/registration_status.h"

/// To add a value of the status:
/// - its field here, which Daemon::describe() fills on the loop;
/// - render/status_json.cpp and schemas/status.v1.schema.json;
/// - cli/commands/status_view.cpp, for people.
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
  /// Start of the current run; null: it is not running.
  std::optional<std::chrono::steady_clock::time_point> runs_since;
  bool late = false;  ///< It is overdue by more than its period and not running.
};

/// The probes of one unit, in the order of the configuration.
using UnitProbes = std::vector<ProbeStatus>;

/// The probes of all units of a resource.
struct ProbesStatus {
  size_t running = 0;
  size_t late = 0;
  /// In the order of Snapshot::units. Empty: not requested.
  std::vector<UnitProbes> units;
};

/// A group of an empty resource that no device matches, and the candidate that came nearest.
/// Immutable after construction. Any thread.
struct UnmatchedGroup {
  inventory::NearMiss miss;
  std::string candidates{};  ///< The number of candidates as text: `12 devices of the subsystem
                             ///< "tty"`.
  std::string no_candidate_reason{};  ///< Why there is no candidate; empty if there is one.
};

/// The groups, and the plan that their rules refer to.
struct UnmatchedReport {
  rules::PlanPtr plan;  ///< Null: no plan has been resolved yet.
  std::vector<UnmatchedGroup> groups{};
};

/// A unit whose device disappeared or no longer matched.
struct LostUnit {
  std::string id;
  std::string reason;  ///< Empty: the unit left the list at once.
  std::chrono::steady_clock::time_point since;
};

/// The version of the program.
struct ProgramStatus {
  std::string version;
  std::string commit;  ///< Empty: it was not built from a repository.
  std::string built;   ///< The date of the commit.
  std::string node;
  std::string pod;  ///< NAMESPACE/NAME, from the environment. Empty: not known.
  std::string kernel;
  int64_t process = 0;
  std::chrono::steady_clock::time_point since;
};

/// The active configuration, and why the last one was rejected.
struct ConfigurationStatus {
  uint64_t number = 1;  ///< Number of the active one; numbers increase.
  std::chrono::steady_clock::time_point since{};
  std::vector<std::string> files{};  ///< Files and directories that were read last; sorted.
  std::string digest{};              ///< Digest of the content of the files of the active one.
  std::string refused{};             ///< Why the last one was rejected; empty: it was accepted.
  std::chrono::steady_clock::time_point refused_since{};
  bool followed = true;       ///< Changes of the files are watched.
  bool unresponsive = false;  ///< A file system does not answer.
};

struct KubeletStatus {
  std::string directory;
  std::string unavailable_reason;               ///< Why the kubelet is unavailable; empty: it is
                                                ///< available.
  std::chrono::steady_clock::time_point since;  ///< When it became unavailable.
};

struct ResourceStatus {
  inventory::ResolvedResource resolved;
  RegistrationStatus registration;
  ProbesStatus probes{};
  std::vector<LostUnit> lost{};  ///< Last lost units that are still missing.
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
  EventCounts events;                     ///< Since the start.
  EventSources event_sources;
  PodResourcesStatusPtr assignments;  ///< Null: the kubelet is not asked for assignments.
};

using NodeStatusPtr = std::shared_ptr<const NodeStatus>;
using UnmatchedReportPtr = std::shared_ptr<const UnmatchedReport>;

/// The expensive parts of a status that a request wants.
struct StatusRequest {
  bool probes = false;  ///< The state of each probe.
  /// The containers of each unit. The kubelet may be asked first, with a short timeout.
  bool assignments = false;
  std::string resource{};  ///< Only for that resource; empty: all.
};

/// Provides the status to the HTTP server. Any thread may call.
class StatusSource {
 public:
  virtual ~StatusSource() = default;
  /// Calls `done` once, soon, on a thread of the source. `done` must not wait. It is not called if
  /// that thread is blocked.
  virtual void request_status(StatusRequest request, std::function<void(NodeStatusPtr)> done) = 0;
  /// The groups of empty resources that no device matches. The host is scanned for this. Null: the
  /// host did not answer in time.
  virtual void request_unmatched(std::function<void(UnmatchedReportPtr)> done) = 0;
  /// Calls `done` after each essential thread of the daemon has made progress.
  virtual void check_liveness(std::function<void()> done) = 0;
};

}  // namespace patchbay::status
