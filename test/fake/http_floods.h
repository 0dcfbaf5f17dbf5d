#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace patchbay::fake {

/// Data that clients send to the daemon's HTTP port as an attack.
struct HttpFlood {
  std::string name;
  std::string first;   ///< Sent once on each connection.
  std::string again;   ///< Sent repeatedly after `first`; empty: nothing.
  bool reads = false;  ///< Reads the answers.
};

[[nodiscard]] const std::vector<HttpFlood>& http_floods();

struct HttpFlooded {
  uint64_t bytes = 0;   ///< Bytes sent.
  uint64_t closed = 0;  ///< Connections that the daemon closed; each is opened again.
};

/// Floods the port of 127.0.0.1 with that many simultaneous connections while `goes_on` returns
/// true. Runs on the calling thread.
void flood_http(const HttpFlood& flood, uint16_t port, size_t connections,
                const std::function<bool(const HttpFlooded&)>& goes_on);

/// For GoogleTest.
inline void PrintTo(const HttpFlood& flood, std::ostream* out) { *out << flood.name; }

}  // namespace patchbay::fake
