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
#include "serve/unix_listener.h"

namespace patchbay::serve {

/// The sockets by which all processes of ours on a node that serve one resource know of each other:
/// `patchbay/<slug>-<hash>/<number>` in the kubelet's directory. There the kubelet, which deletes
/// sockets in its directory when it starts, does not come (kubelet contract 3.1).
///
/// A process that comes takes a number above all that are there, and listens before anybody can see
/// it; so of any two of which both listen, one was first, and both can tell which. No file is a
/// lock: a socket whose process has ended refuses connections, at once and however it ended. Loop
/// thread.
class CandidateDirectory {
 public:
  /// Of the directory in the kubelet's.
  static constexpr const char* kName = "patchbay";

  CandidateDirectory(std::string kubelet_directory, const std::string& resource);

  /// A socket of ours that listens.
  struct Slot {
    uint64_t number = 0;
    std::unique_ptr<UnixListener> listener;
  };

  [[nodiscard]] const std::string& path() const { return directory_; }
  /// Whether the kubelet's directory is there.
  [[nodiscard]] bool exists() const;
  /// Takes the next number. `id` is of this start of the process.
  [[nodiscard]] Result<Slot> take_slot(loop::EventLoop& loop, const std::string& id,
                                       const std::function<void(UniqueFd)>& on_connection) const;
  /// Those that are there, in their order, whether they listen or not.
  [[nodiscard]] std::vector<uint64_t> numbers() const;
  [[nodiscard]] std::string path_of(uint64_t number) const;
  /// Deletes sockets that nobody listens on, but for the caller's own, and the directory if nothing
  /// is left. Those that live get a connection that says nothing.
  void remove_stale(uint64_t own) const;

  /// The same for all resources: of some nobody may know any more.
  static void remove_all_stale(const std::string& kubelet_directory);

  /// Whether somebody listens at a place of any resource, but for these paths.
  [[nodiscard]] static bool any_listener_except(const std::string& kubelet_directory,
                                                const std::set<std::string>& ours);

 private:
  [[nodiscard]] Result<void> make() const;

  std::string kubelet_directory_;
  std::string parent_;
  std::string directory_;
};

}  // namespace patchbay::serve
