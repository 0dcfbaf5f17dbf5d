#pragma once

#include <map>
#include <set>
#include <string>

#include "inventory/resolution.h"

namespace patchbay::daemon {

/// Logs each unresponsive path with the resources that use it, and logs when it is responsive
/// again. Loop thread.
class HangLog {
 public:
  void note(const inventory::Resolution& resolution);

 private:
  std::map<std::string, std::set<std::string>> unresponsive_;  ///< Resources, by unresponsive path.
};

}  // namespace patchbay::daemon
