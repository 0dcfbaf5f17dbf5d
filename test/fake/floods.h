#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace patchbay::fake {

/// What a peer that may connect does to a plugin's socket, to break it.
struct Flood {
  std::string name;
  /// Does it, so many times over. A connection that is closed is made anew.
  std::function<void(const std::string& socket, int rounds)> run;
};

[[nodiscard]] const std::vector<Flood>& floods();

/// For GoogleTest.
inline void PrintTo(const Flood& flood, std::ostream* out) { *out << flood.name; }

}  // namespace patchbay::fake
