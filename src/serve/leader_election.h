#pragma once

#include <map>
#include <string>

#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "serve/candidate_directory.h"

namespace patchbay::serve {

/// Settles which of several living processes of ours serves a resource: the one that came first,
/// until it ends (kubelet contract 2.3 says why there must not be two). The next one stands by: it
/// holds a connection to the one before it, which ends when that process does, in whatever way.
/// Nothing is polled for that.
///
/// Over the connection goes one line that names the process, and from time to time a byte there and
/// back, so that one that hangs is noticed. It is told, and not fought with: it may answer again.
/// Loop thread.
class LeaderElection {
 public:
  /// So often the process before this one is asked for a sign of life.
  static constexpr loop::Milliseconds kPingPeriod{5'000};

  /// `id` is of this start of the process. `elected` is called once, when no living process was
  /// here before; it may be called within campaign().
  LeaderElection(loop::EventLoop& loop, const std::string& kubelet_directory, std::string resource,
                 std::string id, loop::Task elected);
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;
  /// Others may serve the resource from now on.
  ~LeaderElection();

  /// Takes a place, if the kubelet's directory is there; makes sure of it where that was done
  /// before, since files can be deleted. One that cannot be had is no reason not to serve.
  void campaign();
  [[nodiscard]] bool elected() const { return !on_elected_; }
  /// A file of its directory came or went: takes a new place if its socket is gone.
  void entry_changed(const std::string& name);
  /// Where the sockets of all instances are.
  [[nodiscard]] const std::string& directory() const { return directory_.path(); }
  /// Of its socket; empty: it has none.
  [[nodiscard]] std::string path() const;

 private:
  /// One that stands by behind this process.
  struct Follower {
    UniqueFd connection;
    loop::Subscription reading;
    bool is_standby = false;  ///< It has said so: else it may only see whether this one lives.
  };

  void find_leader();
  void follow_leader(UniqueFd connection);
  void on_leader_message();
  void on_greeting();
  void on_leader_lost();
  void ping_leader();
  void become_leader();
  void accept(UniqueFd connection);
  void on_follower_message(int fd);

  loop::EventLoop& loop_;
  CandidateDirectory directory_;
  std::string resource_;
  std::string id_;
  loop::Task on_elected_;  ///< Null when it was called.
  CandidateDirectory::Slot slot_;
  std::string failure_;  ///< Why no place could be had; empty if one could.

  UniqueFd leader_connection_;      ///< To the process before this one.
  std::string greeting_;            ///< What it says of itself, as far as it was read.
  bool greeting_complete_ = false;  ///< … which was all of it.
  bool ping_unanswered_ = false;    ///< It owes a sign of life.
  bool leader_hung_ = false;        ///< It does not give one, which was said.
  bool was_standby_ = false;
  int silent_disconnects_ = 0;  ///< Connections in turn that ended before anything was said.
  loop::Subscription leader_watch_;
  loop::Subscription ping_timer_;
  loop::Subscription retry_timer_;
  std::map<int, Follower> followers_;  ///< By descriptor.
};

}  // namespace patchbay::serve
