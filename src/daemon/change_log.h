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

/// Logs the changes of one resource, each with its reason. A log line reports units that were
/// offered, lost, recovered or dropped, a refused device, or a degraded rule. The class also counts
/// lost units, and remembers the last kMaxLost of them. Loop thread.
///
/// An unhealthy unit is logged after kUnhealthyDelay. When a device is unplugged, its node
/// disappears shortly before the device itself. The delay combines both changes into one log line.
class ChangeLog {
 public:
  static constexpr loop::Milliseconds kUnhealthyDelay{100};
  static constexpr size_t kMaxLost = 16;

  ChangeLog(loop::EventLoop& loop, std::shared_ptr<status::ResourceCounters> counters)
      : loop_(loop), counters_(std::move(counters)) {}
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;
  ~ChangeLog() { log_unhealthy(); }

  /// Logs how `list` differs from the list of the previous call, with one line for all units that
  /// changed for the same cause. All calls are for the same resource. `edited`: a new plan caused
  /// the differences. Then no unit counts as lost, because another resource may now offer the
  /// device of the unit.
  void note_list(inventory::SnapshotPtr list, bool edited = false);
  /// Logs the refusals, degraded rules and shared device nodes that the previous call did not have.
  void note_problems(const inventory::ResolvedResource& resource);

  /// The last units that were lost and have not returned, at most kMaxLost, oldest first. An edit
  /// of the resource clears this list.
  [[nodiscard]] const std::vector<status::LostUnit>& lost() const { return lost_; }

 private:
  void note_degraded(const std::vector<inventory::Degraded>& degraded);
  void note_shared_nodes(const std::vector<inventory::SharedNode>& nodes);
  /// Warns about a unit that gives a container nothing, if no other unit has the same cause.
  /// `before` is null for a new unit, `now` for a dropped unit.
  void warn_if_unusable(const inventory::Unit* before, const inventory::Unit* now);
  void note_refusals(const inventory::Refusals& refusals);
  void note_start(const inventory::Snapshot& list);
  void note_changes(const inventory::Snapshot& before, const inventory::Snapshot& now, bool edited);
  /// Counts a lost unit, and updates lost_. The arguments are as for warn_if_unusable().
  void note_loss(const inventory::Unit* before, const inventory::Unit* now);
  void note_unhealthy(const inventory::Unit& unit);
  /// Logs the units in unhealthy_ at once.
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

/// Logs each path that becomes unresponsive or responsive again, with its resources. Loop thread.
class HangLog {
 public:
  void note(const inventory::Resolution& resolution);

 private:
  std::map<std::string, std::set<std::string>> unresponsive_;  ///< Resources, by unresponsive path.
};

}  // namespace patchbay::daemon
