#pragma once

#include <memory>
#include <string>

#include "http/listening.h"
#include "status/counters.h"
#include "status/journal.h"
#include "status/node_status.h"

namespace patchbay::http {

/// Serves the daemon's HTTP paths: the page, /metrics, /healthz, /readyz, /status,
/// /unmatched and /events. Answers are made from copies of the state, so a request never delays the
/// daemon. Any thread.
class Endpoints {
 public:
  struct Options {
    /// Also serve the page, /status, /unmatched and /events, which name devices and Pods.
    bool page_on_network = false;
    bool metrics_per_unit = false;
  };

  /// All arguments outlive it. The threads of `source` must run until it is destroyed; it calls
  /// nothing afterwards.
  [[nodiscard]] static std::unique_ptr<Endpoints> start(status::StatusSource& source,
                                                        status::Journal& journal,
                                                        const status::Counters& counters,
                                                        Options options);
  virtual ~Endpoints() = default;

  /// Serves at a unix socket, which is made and checked on a separate thread, because its file
  /// system may hang. If another instance listens there, or the socket cannot be made, that is
  /// logged once and retried. Once.
  virtual void serve_unix(const std::string& path) = 0;
  /// Serves over TCP.
  virtual void serve_tcp(const TcpAddress& address) = 0;
};

}  // namespace patchbay::http
