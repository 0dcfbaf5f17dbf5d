#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

/// Implements the kubelet's side of the device plugin API, for `--standalone` and for tests.
namespace patchbay::standin {

struct ListedDevice {
  std::string id;
  bool healthy = false;
  std::vector<int64_t> numa_nodes;
  friend bool operator==(const ListedDevice&, const ListedDevice&) = default;
};

/// Callbacks of a stand-in Kubelet. The Kubelet calls them on its threads, one at a time, also in
/// its destructor. A callback must not destroy the Kubelet.
struct KubeletEvents {
  /// Called for each ListAndWatch message, which always has the whole list.
  std::function<void(const std::string& resource, const std::vector<ListedDevice>&)> listed;
  /// Called when a stream has ended, for any reason.
  std::function<void(const std::string& resource)> ended;
};

/// A stand-in for the kubelet's device manager. It serves Registration on `DIRECTORY/kubelet.sock`.
/// Within each Register call it connects to the plugin, for at most 10 s. Then it answers the call
/// and opens one ListAndWatch stream (docs/dev/kubelet.md: Register). The class is an interface, so
/// that few files include gRPC headers.
class Kubelet {
 public:
  /// Starts to listen in the directory.
  [[nodiscard]] static Result<std::unique_ptr<Kubelet>> start(const std::string& directory,
                                                              KubeletEvents events);

  Kubelet() = default;
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;
  /// Drops all connections, and waits for its threads.
  virtual ~Kubelet() = default;
};

}  // namespace patchbay::standin
