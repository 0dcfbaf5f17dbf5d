#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inventory/resolution.h"
#include "loop/event_loop.h"
#include "observe/counters.h"

namespace patchbay::daemon {

/// Writes what changes of one resource to the log: a line for each unit that came, was lost, came
/// back or was dropped, and for each device that is refused and each rule that is degraded, with
/// the reason. It also counts lost units. Loop thread.
///
/// Why a unit is unhealthy is said a moment later: of a device that is unplugged, first the node is
/// missing and then the device, which is the same and one line.
class ChangeLog {
 public:
  static constexpr loop::Milliseconds kUnhealthyDelay{100};

  ChangeLog(loop::EventLoop& loop, std::shared_ptr<observe::ResourceCounters> counters)
      : loop_(loop), counters_(std::move(counters)) {}
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;
  ~ChangeLog() { log_unhealthy(); }

  /// What became of the resource, which is always of the same name.
  void note(const inventory::ResolvedResource& resource);

 private:
  void note_degraded(const std::vector<inventory::Degraded>& degraded);
  void note_shared_nodes(const std::vector<inventory::SharedNode>& nodes);
  /// A unit is another than before; either may be null. Warns of the first that gives nothing.
  void warn_if_unusable(const inventory::Unit* before, const inventory::Unit* now);
  void note_refusals(const inventory::Refusals& refusals);
  void note_snapshot(const inventory::Snapshot* before, const inventory::Snapshot& now);
  void note_unit(const inventory::Unit* before, const inventory::Unit& now);
  void note_dropped(const inventory::Unit& unit);
  void note_unhealthy(const std::string& unit, const std::string& reason);
  void log_unhealthy(const std::string& unit);
  /// Says what is still waiting for its moment.
  void log_unhealthy();

  loop::EventLoop& loop_;
  std::shared_ptr<observe::ResourceCounters> counters_;
  inventory::SnapshotPtr last_;
  std::string resource_;
  std::set<std::string> refused_;  ///< Device and reason: each is said once.
  std::vector<inventory::Degraded> degraded_;
  std::vector<inventory::SharedNode> shared_nodes_;
  /// How many units give a container nothing, by cause.
  std::array<size_t, inventory::kEmptyAllocationKinds> empty_allocations_{};
  std::map<std::string, std::string> unhealthy_;  ///< By id: not said yet, and why.
  loop::Subscription unhealthy_timer_;
};

}  // namespace patchbay::daemon
