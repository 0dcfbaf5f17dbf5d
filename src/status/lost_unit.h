#pragma once

#include <chrono>
#include <string>

namespace patchbay::status {

/// A unit whose device disappeared or no longer matched.
struct LostUnit {
  std::string id;
  std::string reason;  ///< Empty: the unit left the list at once.
  std::chrono::steady_clock::time_point since;
};

}  // namespace patchbay::status
