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
class Candidacy {
 public:
  /// So often the process before this one is asked for a sign of life.
  static constexpr loop::Milliseconds kPeriod{5'000};

  /// `id` is of this start of the process. `elected` is called once, when no living process was
  /// here before; it may be called within enter().
  Candidacy(loop::EventLoop& loop, const std::string& kubelet_directory, std::string resource,
            std::string id, loop::Task elected);
  Candidacy(const Candidacy&) = delete;
  Candidacy& operator=(const Candidacy&) = delete;
  /// Others may serve the resource from now on.
  ~Candidacy();

  /// Takes a place, if the kubelet's directory is there; makes sure of it where that was done
  /// before, since files can be deleted. One that cannot be had is no reason not to serve.
  void enter();
  [[nodiscard]] bool elected() const { return !elected_call_; }
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
    bool stands_by = false;  ///< It has said so: else it may only see whether this one lives.
  };

  void look();
  void follow(UniqueFd connection);
  void heard();
  void greeted();
  void lost();
  void ask();
  void elect();
  void accept(UniqueFd connection);
  void asked_by(int fd);

  loop::EventLoop& loop_;
  CandidateDirectory directory_;
  std::string resource_;
  std::string id_;
  loop::Task elected_call_;  ///< Null when it was called.
  CandidateDirectory::Place place_;
  std::string failure_;  ///< Why no place could be had; empty if one could.

  UniqueFd connection_;   ///< To the process before this one.
  std::string before_;    ///< What it says of itself, as far as it was read.
  bool greeted_ = false;  ///< … which was all of it.
  bool awaited_ = false;  ///< It owes a sign of life.
  bool hangs_ = false;    ///< It does not give one, which was said.
  bool stood_by_ = false;
  int not_greeted_ = 0;  ///< Connections in turn that ended before anything was said.
  loop::Subscription reading_;
  loop::Subscription period_;
  loop::Subscription retry_;
  std::map<int, Follower> followers_;  ///< By descriptor.
};

}  // namespace patchbay::serve
