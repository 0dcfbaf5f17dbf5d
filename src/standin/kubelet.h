#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

/// The kubelet's side of the device plugin API, without the rest of a kubelet.
namespace patchbay::standin {

struct ListedDevice {
  std::string id;
  bool healthy = false;
  std::vector<int64_t> numa_nodes;
  friend bool operator==(const ListedDevice&, const ListedDevice&) = default;
};

/// Callbacks of the stand-in. Called on its threads, one at a time, also during its destruction.
/// They must not destroy it.
struct KubeletEvents {
  /// A ListAndWatch message, which is always the whole list.
  std::function<void(const std::string& resource, const std::vector<ListedDevice>&)> listed;
  /// A stream ended, for any reason.
  std::function<void(const std::string& resource)> ended;
};

/// A stand-in for the kubelet's device manager. It serves Registration on `DIRECTORY/kubelet.sock`.
/// Within each Register call it connects to the plugin (10 s). Then it answers, and opens one
/// ListAndWatch (docs/dev/kubelet.md: Register). It is an interface, so that few files are compiled
/// with gRPC.
class Kubelet {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Kubelet>> start(const std::string& directory,
                                                              KubeletEvents events);

  Kubelet() = default;
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;
  /// Drops all connections, and waits for its threads.
  virtual ~Kubelet() = default;
};

}  // namespace patchbay::standin
