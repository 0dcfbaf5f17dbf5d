#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inventory/inventory.h"
#include "loop/event_loop.h"

namespace patchbay::daemon {

/// Writes what changed between two resolutions to the log: a line for each unit that came, was
/// lost, came back or was dropped, and for each device that is refused and each rule that is
/// degraded, with the reason. Loop thread.
///
/// Why a unit is unhealthy is said a moment later: of a device that is unplugged, first the node is
/// missing and then the device, which is the same and one line.
class ChangeLog {
 public:
  static constexpr loop::Milliseconds kMoment{100};

  explicit ChangeLog(loop::EventLoop& loop) : loop_(loop) {}
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;
  ~ChangeLog() { say_unhealthy(); }

  void note(const inventory::Resolution& resolution);
  /// Says what is still waiting for its moment.
  void say_unhealthy();

 private:
  /// A unit by its resource's name and its id.
  using UnitName = std::pair<std::string, std::string>;

  void note_degraded(const std::vector<inventory::Degraded>& degraded);
  void note_snapshot(const inventory::Snapshot* before, const inventory::Snapshot& now);
  void note_unit(const std::string& resource, const inventory::Unit* before,
                 const inventory::Unit& now);
  void note_dropped(const std::string& resource, const inventory::Unit& unit);
  void note_unhealthy(const UnitName& unit, const std::string& reason);
  void say_unhealthy(const UnitName& unit);

  loop::EventLoop& loop_;
  std::vector<inventory::SnapshotPtr> last_;
  std::set<std::string> refused_;  ///< Resource, device and reason: each is said once.
  std::vector<inventory::Degraded> degraded_;
  std::map<UnitName, std::string> unhealthy_;  ///< Not said yet, and why.
  loop::Subscription moment_;
};

}  // namespace patchbay::daemon
