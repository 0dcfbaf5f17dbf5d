#pragma once

#include <map>
#include <set>
#include <string>

#include "inventory/resolution.h"

namespace patchbay::daemon {

/// Writes to the log what does not answer, with the resources that look there, and when it answers
/// again. Loop thread.
class HangLog {
 public:
  void note(const inventory::Resolution& resolution);

 private:
  std::map<std::string, std::set<std::string>> hung_;  ///< Resources, by what does not answer.
};

}  // namespace patchbay::daemon
