#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "inventory/resolution.h"
#include "loop/event_loop.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Logs the changes of one resource, each with its reason. A line reports units that were offered,
/// lost, recovered or dropped, a device that was refused, or a rule that is degraded. It also
/// counts lost units, and remembers the last ones. Loop thread.
///
/// The reason for an unhealthy unit is logged after kUnhealthyDelay. When a device is unplugged,
/// first its node disappears and then the device: the delay makes one line of both.
class ChangeLog {
 public:
  static constexpr loop::Milliseconds kUnhealthyDelay{100};
  static constexpr size_t kMaxLost = 16;

  ChangeLog(loop::EventLoop& loop, std::shared_ptr<status::ResourceCounters> counters)
      : loop_(loop), counters_(std::move(counters)) {}
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;
  ~ChangeLog() { log_unhealthy(); }

  /// Logs the differences to the list of the previous call. Units that changed for the same cause
  /// are one line. All calls are for the same resource. `edited`: a new plan caused the
  /// differences. Then no unit counts as lost, because another resource may have its device.
  void note_list(inventory::SnapshotPtr list, bool edited = false);
  /// Logs the refusals and degraded rules that the previous call did not have.
  void note_problems(const inventory::ResolvedResource& resource);

  /// The last units that were lost and have not returned, oldest first. Empty after an edit of the
  /// resource. At most kMaxLost.
  [[nodiscard]] const std::vector<status::LostUnit>& lost() const { return lost_; }

 private:
  void note_degraded(const std::vector<inventory::Degraded>& degraded);
  void note_shared_nodes(const std::vector<inventory::SharedNode>& nodes);
  /// Notes that a unit changed; either argument may be null. Warns once per cause of units that
  /// give a container nothing.
  void warn_if_unusable(const inventory::Unit* before, const inventory::Unit* now);
  void note_refusals(const inventory::Refusals& refusals);
  void note_start(const inventory::Snapshot& list);
  void note_changes(const inventory::Snapshot& before, const inventory::Snapshot& now, bool edited);
  /// Notes that a unit is lost, returned or left the list; either argument may be null.
  void note_loss(const inventory::Unit* before, const inventory::Unit* now);
  void note_unhealthy(const inventory::Unit& unit);
  /// Logs all lines that are still delayed.
  void log_unhealthy();

  loop::EventLoop& loop_;
  std::shared_ptr<status::ResourceCounters> counters_;
  inventory::SnapshotPtr last_;
  std::string resource_;
  std::set<std::string> refused_;  ///< Device and reason of each refusal already logged.
  std::vector<inventory::Degraded> degraded_;
  std::vector<inventory::SharedNode> shared_nodes_;
  /// Number of units that give a container nothing, by cause.
  std::array<size_t, inventory::kEmptyAllocationKinds> empty_allocations_{};
  std::vector<status::LostUnit> lost_;
  /// Units whose reason is not logged yet, by id.
  std::map<std::string, inventory::Unit, NaturalLess> unhealthy_;
  loop::Subscription unhealthy_timer_;
};

/// Logs each unresponsive path with the resources that use it, and logs when it is responsive
/// again. Loop thread.
class HangLog {
 public:
  void note(const inventory::Resolution& resolution);

 private:
  std::map<std::string, std::set<std::string>> unresponsive_;  ///< Resources, by unresponsive path.
};

}  // namespace patchbay::daemon
