#pragma once

#include <map>
#include <string>

#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "plugin/candidate_directory.h"

namespace patchbay::plugin {

/// Elects the one instance on this node that serves a resource: the one that started first, until
/// it ends. "Repeated registration" in docs/dev/kubelet.md says why there must not be two. The next
/// instance is on standby, with a connection to the one before it. The kernel closes that
/// connection when the process ends, so no polling is needed to detect it.
///
/// The predecessor is the instance before this one, which may be on standby itself. It sends one
/// line that identifies its process. This instance sends it a one-byte ping every kPingPeriod, and
/// an unanswered one means that the predecessor hangs. This is only logged, because it may recover.
/// Loop thread.
class LeaderElection {
 public:
  /// Period of the pings to the predecessor.
  static constexpr loop::Milliseconds kPingPeriod{5'000};

  /// `id` is unique to this process. `elected` is called once, when no older instance is
  /// alive; it may be called within campaign().
  LeaderElection(loop::EventLoop& loop, const std::string& kubelet_directory, std::string resource,
                 std::string id, loop::Task elected);
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;
  /// Leaves the election: another instance may serve the resource.
  ~LeaderElection();

  /// Becomes a candidate, which listens on a numbered socket, if the kubelet's directory exists. A
  /// candidate whose socket file was deleted takes a new number.
  /// An instance that cannot create a socket is elected when no candidate is alive.
  void campaign();
  [[nodiscard]] bool elected() const { return !on_elected_; }
  /// A file in directory() was created or deleted: takes a new number if its own socket is gone.
  void entry_changed(const std::string& name);
  /// The directory with the sockets of all instances.
  [[nodiscard]] const std::string& directory() const { return directory_.path(); }
  /// The path of the socket of this instance; empty: it has none.
  [[nodiscard]] std::string path() const;

 private:
  /// An instance that is connected to this one.
  struct Follower {
    UniqueFd connection;
    loop::Subscription reading;
    bool is_standby =
        false;  ///< It has sent a ping. Others only check that this instance is alive.
  };

  void find_predecessor();
  void follow_predecessor(UniqueFd connection);
  void on_predecessor_message();
  void on_greeting();
  void on_predecessor_lost();
  void ping_predecessor();
  void become_leader();
  void accept(UniqueFd connection);
  void on_follower_message(int fd);

  loop::EventLoop& loop_;
  CandidateDirectory directory_;
  std::string resource_;
  std::string id_;
  loop::Task on_elected_;                    ///< Null after its call.
  CandidateDirectory::Candidate candidate_;  ///< This instance; no listener: it has no socket.
  std::string failure_;  ///< Why the last attempt to create a socket failed; empty: it did not.

  UniqueFd predecessor_connection_;  ///< To the predecessor.
  std::string greeting_;             ///< The received part of the predecessor's line.
  bool greeting_complete_ = false;   ///< The line is complete.
  bool ping_unanswered_ = false;     ///< The last ping has no answer yet.
  bool predecessor_hung_ = false;    ///< The predecessor is hung, and this was logged.
  bool was_standby_ = false;
  int silent_disconnects_ = 0;  ///< Consecutive connections that ended without data.
  loop::Subscription predecessor_watch_;
  loop::Subscription ping_timer_;
  loop::Subscription retry_timer_;
  std::map<int, Follower> followers_;  ///< By descriptor.
};

}  // namespace patchbay::plugin
