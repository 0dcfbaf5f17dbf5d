#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "status/counters.h"

namespace patchbay::driver {

/// The wanted pool: the lists `devices` of its slices.
using PoolSlices = std::vector<Json>;

/// Events of the API client. Never called during a call of KubeClient.
struct KubeEvents {
  /// The API server has the pool with this number. `dropped`: paths of fields that it did not
  /// store.
  std::function<void(int64_t number, std::vector<std::string> dropped)> stored;
  /// The API server rejected the pool with this number.
  std::function<void(int64_t number, std::string reason)> rejected;
  /// Why the API server cannot be reached; empty: it can. May be called repeatedly.
  std::function<void(std::string problem)> api;
  /// A write of a slice has ended.
  std::function<void(status::SliceWrite result)> wrote;
};

/// Runs the program patchbay-kube, which talks to the API server, and exchanges lines of JSON with
/// it. If the program ends, it is started again with back-off, and gets the newest pool again. So a
/// crash in HTTP or TLS affects no device plugin. Loop thread.
class KubeClient {
 public:
  struct Options {
    std::vector<std::string> command;      ///< Absolute path and arguments.
    std::vector<std::string> environment;  ///< See loop::child_environment().
  };
  /// Error::number is the status of the API server's response; 0: there was none.
  using GotClaim = std::move_only_function<void(Result<Json>)>;

  /// `loop` and `work` outlive it. `work` starts the program.
  KubeClient(loop::EventLoop& loop, loop::BlockingWork& work, Options options, KubeEvents events);
  KubeClient(const KubeClient&) = delete;
  KubeClient& operator=(const KubeClient&) = delete;
  /// Open get_claim() calls fail later.
  ~KubeClient() { fail_pending("the DRA driver has ended; the kubelet calls again"); }

  /// Makes the stored slices equal to these. Without a slice, all are deleted. Returns the number
  /// of the pool.
  int64_t publish(PoolSlices slices);
  /// While `on`, nothing is written. It is on at the start.
  void hold(bool on);
  /// Reads a ResourceClaim. `done` is called once, later.
  void get_claim(const std::string& name_space, const std::string& name, GotClaim done);

 private:
  void start();
  void on_ended(const loop::ChildResult& result);
  void on_readable();
  void on_line(std::string_view line);
  void send(const Json& line);
  void send_pool();
  void write_pending();
  void fail_pending(const std::string& reason);

  loop::EventLoop& loop_;
  loop::BlockingWork& work_;
  const Options options_;
  const KubeEvents events_;
  int64_t number_ = 0;
  std::optional<PoolSlices> wanted_;
  bool hold_ = true;
  std::map<int64_t, GotClaim> pending_;
  int64_t next_get_ = 0;
  UniqueFd socket_;    ///< Our end of the socket of the running program.
  UniqueFd writable_;  ///< The same socket. The loop watches a descriptor for one event only.
  std::string received_;
  std::string unsent_;
  loop::Subscription reading_;
  loop::Subscription writing_;
  loop::Subscription process_;
  loop::Subscription restart_;
  loop::Milliseconds delay_;
  loop::Time started_{};
  loop::WeakSelf<KubeClient> weak_self_{this};
};

}  // namespace patchbay::driver
