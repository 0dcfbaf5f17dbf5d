#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/event_counts.h"
#include "base/node_hardware.h"
#include "base/wall_clock.h"
#include "inventory/resolution.h"
#include "observe/health_history.h"
#include "observe/pod_resources_status.h"
#include "observe/probe_status.h"
#include "observe/registration_status.h"
#include "observe/unmatched_group.h"
#include "rules/plan.h"

namespace patchbay::observe {

/// Which program runs, where, and since when.
struct ProgramStatus {
  std::string version;
  std::string commit;  ///< Empty: it was built from no repository.
  std::string built;   ///< The date of the commit.
  std::string node;
  std::string kernel;
  int64_t process = 0;
  std::chrono::steady_clock::time_point since;
};

/// The configuration that holds, and the one that does not.
struct ConfigurationStatus {
  uint64_t number = 1;  ///< Of the one that holds: they rise.
  std::chrono::steady_clock::time_point since{};
  std::vector<std::string> files{};  ///< That were read last, and the directories; sorted.
  std::string digest{};              ///< Of what they held when that one was read.
  std::string refused{};             ///< Why the last one that was read was refused; empty: not so.
  std::chrono::steady_clock::time_point refused_since{};
  bool followed = true;  ///< A change is taken in.
  bool hung = false;     ///< A file system does not answer.
};

struct KubeletStatus {
  std::string directory;
  std::string unavailable_reason;               ///< Why it is waited for; empty: it is not.
  std::chrono::steady_clock::time_point since;  ///< Since when, if it is.
};

struct ResourceStatus {
  inventory::ResolvedResource resolved;
  RegistrationStatus registration;
  ProbesStatus probes{};
  std::vector<HealthHistory::Span> history{};  ///< Of the last day.
};

/// All there is to know of the running daemon at one moment, but for what happened (Journal) and
/// how often (Counters). Immutable, any thread.
struct NodeStatus {
  WallClock clock;
  std::chrono::steady_clock::time_point at;
  ProgramStatus program;
  ConfigurationStatus configuration;
  KubeletStatus kubelet;
  rules::PlanPtr plan;                    ///< Null: nothing has been looked at whole yet.
  std::vector<ResourceStatus> resources;  ///< In the order of the plan.
  EventCounts events;                     ///< Since the start.
  EventSources event_sources;
  PodResourcesStatusPtr assignments;  ///< Null: the kubelet is not asked who holds what.
};

using NodeStatusPtr = std::shared_ptr<const NodeStatus>;
using UnmatchedReportPtr = std::shared_ptr<const UnmatchedReport>;

/// What of a status costs more than to share what there is.
struct StatusRequest {
  bool probes = false;  ///< How each probe does.
  /// Who holds what: the kubelet may be asked first, which takes a moment, and one that does not
  /// answer is not waited for longer.
  bool assignments = false;
  std::string resource{};  ///< Of that resource only; empty: of all.
};

/// Where a status can be had: from who owns what it tells of. Any thread may ask.
class StatusSource {
 public:
  virtual ~StatusSource() = default;
  /// `done` is called once, soon, on a thread of the source, and must not wait; never, if that
  /// thread does not go on.
  virtual void request_status(StatusRequest request, std::function<void(NodeStatusPtr)> done) = 0;
  /// The same with what there is on the buses of the node; null: it does not answer.
  virtual void request_machine(std::function<void(NodeStatusPtr, NodeHardwarePtr)> done) = 0;
  /// The groups of empty resources that no device matches; null: the host did not answer in time.
  /// The host is read for it.
  virtual void request_unmatched(std::function<void(UnmatchedReportPtr)> done) = 0;
  /// The same when each thread that the daemon cannot do without has gone on.
  virtual void check_liveness(std::function<void()> done) = 0;
};

}  // namespace patchbay::observe
