#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace patchbay::fake {

/// An attack of a client on a plugin's socket.
struct Flood {
  std::string name;
  /// Runs the attack `rounds` times. Closed connections are opened again.
  std::function<void(const std::string& socket, int rounds)> run;
};

[[nodiscard]] const std::vector<Flood>& floods();

/// For GoogleTest.
inline void PrintTo(const Flood& flood, std::ostream* out) { *out << flood.name; }

}  // namespace patchbay::fake
