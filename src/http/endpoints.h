#pragma once

#include <memory>
#include <string>

#include "http/listening.h"
#include "status/counters.h"
#include "status/journal.h"
#include "status/node_status.h"

namespace patchbay::http {

/// Serves the daemon's HTTP paths: the page, /metrics, /healthz, /readyz, /status, /unmatched and
/// /events. Answers are made from copies of the state, so requests do not delay the daemon.
/// Thread-safe.
class Endpoints {
 public:
  struct Options {
    /// Also serve the page, /status, /unmatched and /events, which name devices and Pods.
    bool page_on_network = false;
    bool metrics_per_unit = false;
  };

  /// All arguments must outlive the object. The threads of `source` must run until the object is
  /// destroyed.
  [[nodiscard]] static std::unique_ptr<Endpoints> start(status::StatusSource& source,
                                                        status::Journal& journal,
                                                        const status::Counters& counters,
                                                        Options options);
  virtual ~Endpoints() = default;

  /// Serves at a unix socket. A separate thread creates and checks the socket, because its file
  /// system may hang. If another instance listens there, or the socket cannot be created, this
  /// thread logs that once, and retries. Call it once.
  virtual void serve_unix(const std::string& path) = 0;
  /// Serves over TCP. If the port cannot be used, logs that once, and retries.
  virtual void serve_tcp(const TcpAddress& address) = 0;
};

}  // namespace patchbay::http
