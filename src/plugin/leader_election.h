#pragma once

#include <map>
#include <string>

#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "plugin/candidate_directory.h"

namespace patchbay::plugin {

/// Elects the instance (daemon) on this node that serves a resource: the one that started first.
/// Only one may serve it (docs/dev/kubelet.md: Repeated registration). All others are on standby.
///
/// An instance on standby is connected to its predecessor, the live instance that started last
/// before it. The predecessor may be on standby, too. The kernel closes the connection when the
/// predecessor's process ends, so its end is detected without polling.
///
/// The predecessor sends a greeting, one line that identifies its process. This instance sends a
/// one-byte ping every kPingPeriod. If the predecessor does not answer a ping, it is unresponsive.
/// An unresponsive predecessor is only logged, because it may recover. Loop thread.
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
  /// Leaves the election, so that another instance can be elected.
  ~LeaderElection();

  /// Creates the numbered socket of this instance, unless it exists. If the socket file was
  /// deleted, takes a new number. Does nothing without the kubelet's directory. An instance that
  /// cannot create a socket is elected when no other instance has a live socket.
  void campaign();
  [[nodiscard]] bool elected() const { return !on_elected_; }
  /// Called when the file `name` in directory() was created or deleted. Takes a new number if this
  /// instance's socket was deleted.
  void entry_changed(const std::string& name);
  /// The directory with the sockets of all instances.
  [[nodiscard]] const std::string& directory() const { return directory_.path(); }
  /// The path of this instance's socket. Empty if it has none.
  [[nodiscard]] std::string path() const;

 private:
  /// An instance that is connected to this one.
  struct Follower {
    UniqueFd connection;
    loop::Subscription reading;
    bool is_standby = false;  ///< It has sent a ping. False if it may only check for a listener.
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
  loop::Task on_elected_;                    ///< Null after it was called.
  CandidateDirectory::Candidate candidate_;  ///< Own socket; its listener is null without one.
  std::string failure_;  ///< Error of the last attempt to create a socket. Empty if it succeeded.

  UniqueFd predecessor_connection_;  ///< To the predecessor.
  std::string greeting_;             ///< The predecessor's greeting, as far as received.
  bool greeting_complete_ = false;   ///< The whole greeting was received.
  bool ping_unanswered_ = false;     ///< The last ping has no answer yet.
  bool predecessor_hung_ = false;    ///< The predecessor is unresponsive; this was logged.
  bool was_standby_ = false;
  int silent_disconnects_ = 0;  ///< Consecutive connections that ended without data.
  loop::Subscription predecessor_watch_;
  loop::Subscription ping_timer_;
  loop::Subscription retry_timer_;
  std::map<int, Follower> followers_;  ///< By descriptor.
};

}  // namespace patchbay::plugin
