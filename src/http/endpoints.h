#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "http/listening.h"
#include "observe/counters.h"
#include "observe/journal.h"
#include "observe/node_status.h"

namespace patchbay::http {

/// What the daemon serves over HTTP: the page, /metrics, /healthz, /readyz, /status, /machine,
/// /unmatched, /events. All is read from values that were made for it, so that who asks never holds
/// up the daemon. Any thread.
class Endpoints {
 public:
  struct Options {
    /// Also the page, /status, /machine, /unmatched and /events, which name devices and Pods.
    bool page_on_network = false;
    bool metrics_per_unit = false;
  };

  /// All outlive it; and so that nothing of them is asked any more when it has gone, the threads of
  /// `source` run until then.
  [[nodiscard]] static Result<std::unique_ptr<Endpoints>> start(observe::StatusSource& source,
                                                                observe::Journal& journal,
                                                                const observe::Counters& counters,
                                                                Options options);
  virtual ~Endpoints() = default;

  /// Answers at a unix socket, which is made and checked on a thread of its own: its file system
  /// may hang. While another instance answers there, or it cannot be had, that is said once, and
  /// tried again. Once.
  virtual void serve_unix(const std::string& path) = 0;
  /// The same over TCP.
  virtual void serve_tcp(const TcpAddress& address) = 0;
};

}  // namespace patchbay::http
