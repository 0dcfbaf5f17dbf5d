#pragma once

#include <set>
#include <string>

#include "inventory/inventory.h"

namespace patchbay::daemon {

/// Writes what changed between two resolutions to the log: a line for each unit that came, was
/// lost, came back or was dropped, and for each device that is refused, with the reason. Loop
/// thread.
class ChangeLog {
 public:
  void note(const inventory::Resolution& resolution);

 private:
  std::vector<inventory::SnapshotPtr> last_;
  std::set<std::string> refused_;  ///< Resource, device and reason: each is said once.
};

}  // namespace patchbay::daemon
