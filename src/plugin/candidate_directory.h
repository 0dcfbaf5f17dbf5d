#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"
#include "rpc/unix_listener.h"

namespace patchbay::plugin {

/// Lets daemons on a node find each other if they can serve the same resource. An *instance* is one
/// of these processes. It listens on the socket `patchbay/<slug>-<hash>/<number>` in the kubelet's
/// directory. A starting kubelet deletes the sockets in its directory, but not in subdirectories
/// (docs/dev/kubelet.md: Start of the kubelet).
///
/// A new instance takes a number above all existing ones. The instance listens before its socket
/// gets the numbered name, so a numbered socket without a listener is stale. The oldest instance
/// has the listening socket with the lowest number. No lock file is needed: the socket of an ended
/// process refuses connections at once. Loop thread.
class CandidateDirectory {
 public:
  /// The name of the subdirectory of the kubelet's directory.
  static constexpr const char* kName = "patchbay";

  CandidateDirectory(std::string kubelet_directory, const std::string& resource);

  /// The number and the listening socket of this instance.
  struct Candidate {
    uint64_t number = 0;
    std::unique_ptr<rpc::UnixListener> listener;
  };

  [[nodiscard]] const std::string& path() const { return directory_; }
  /// Whether the kubelet's directory exists.
  [[nodiscard]] bool exists() const;
  /// Creates the socket of this instance with the next number. `id` is unique to this process.
  [[nodiscard]] Result<Candidate> take_number(
      loop::EventLoop& loop, const std::string& id,
      const std::function<void(UniqueFd)>& on_connection) const;
  /// Returns the numbers of all socket files in ascending order, including stale ones.
  [[nodiscard]] std::vector<uint64_t> numbers() const;
  [[nodiscard]] std::string path_of(uint64_t number) const;
  /// Deletes stale sockets, which have no listener, except number `own`. Then deletes the directory
  /// if it is empty. A live instance receives a connection without data from this check.
  void remove_stale(uint64_t own) const;

  /// Deletes the stale sockets of all resources, also of resources that no instance offers.
  static void remove_all_stale(const std::string& kubelet_directory);

  /// Whether a socket of any resource has a listener, apart from the sockets at the paths `ours`.
  [[nodiscard]] static bool any_listener_except(const std::string& kubelet_directory,
                                                const std::set<std::string>& ours);

 private:
  [[nodiscard]] Result<void> make() const;

  std::string kubelet_directory_;
  std::string parent_;
  std::string directory_;
};

}  // namespace patchbay::plugin
