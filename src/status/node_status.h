#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/wall_clock.h"
#include "inventory/resolution.h"
#include "model/event_counts.h"
#include "rules/plan/plan_fwd.h"
#include "status/lost_unit.h"
#include "status/pod_resources_status.h"
#include "status/probe_status.h"
#include "status/registration_status.h"
#include "status/unmatched_group.h"

/// To add a value of the status:
/// - its field here, which Daemon::describe() fills on the loop;
/// - render/status_json.cpp and schemas/status.v1.schema.json;
/// - cli/commands/status_view.cpp, for people.
namespace patchbay::status {

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
