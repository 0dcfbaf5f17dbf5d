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

/// Lets all instances on a node that serve one resource find each other. Each listens on a socket
/// `patchbay/<slug>-<hash>/<number>` in the kubelet's directory. A starting kubelet deletes the
/// sockets in its directory, but not in this subdirectory (docs/dev/kubelet.md: Start of the
/// kubelet).
///
/// A new instance takes a number above all existing ones, and listens before its socket is visible.
/// If two sockets listen, the one with the lower number is thus older. No lock file is needed: the
/// socket of an ended process refuses connections at once. Loop thread.
class CandidateDirectory {
 public:
  /// The name of the directory in the kubelet's.
  static constexpr const char* kName = "patchbay";

  CandidateDirectory(std::string kubelet_directory, const std::string& resource);

  /// The listening socket of this instance.
  struct Candidate {
    uint64_t number = 0;
    std::unique_ptr<rpc::UnixListener> listener;
  };

  [[nodiscard]] const std::string& path() const { return directory_; }
  /// Whether the kubelet's directory exists.
  [[nodiscard]] bool exists() const;
  /// Takes the next number, and listens. `id` identifies this start of the process.
  [[nodiscard]] Result<Candidate> take_number(
      loop::EventLoop& loop, const std::string& id,
      const std::function<void(UniqueFd)>& on_connection) const;
  /// Returns the existing numbers in ascending order, whether their sockets listen or not.
  [[nodiscard]] std::vector<uint64_t> numbers() const;
  [[nodiscard]] std::string path_of(uint64_t number) const;
  /// Deletes sockets without a listener, except the caller's own, and the directory if it is empty
  /// then. Living instances see a connection without data.
  void remove_stale(uint64_t own) const;

  /// Does the same for all resources, also for those that no instance has any more.
  static void remove_all_stale(const std::string& kubelet_directory);

  /// Whether any instance listens for any resource, except at these paths.
  [[nodiscard]] static bool any_listener_except(const std::string& kubelet_directory,
                                                const std::set<std::string>& ours);

 private:
  [[nodiscard]] Result<void> make() const;

  std::string kubelet_directory_;
  std::string parent_;
  std::string directory_;
};

}  // namespace patchbay::plugin
