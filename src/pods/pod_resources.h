#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pods/pod_list.h"

namespace patchbay::pods {

/// What came of asking the kubelet.
struct ListOutcome {
  enum class Kind {
    answered,
    no_socket,  ///< Nothing is at the path.
    failed,
  };
  Kind kind = Kind::answered;
  std::string reason{};  ///< For people, unless it was answered.
  std::vector<DeviceAllocation> allocations{};
};

/// The kubelet's PodResources socket. Each call has a connection of its own: the kubelet makes a
/// new socket whenever it starts, and between calls nothing is kept that would take memory or wake
/// up. An interface, so that few files are compiled with gRPC; shared with the thread that calls.
class PodResources {
 public:
  /// A kubelet answers within milliseconds.
  static constexpr std::chrono::milliseconds kTimeout{3000};
  /// Of an answer. A node's with all its Pods is some ten kilobytes.
  static constexpr size_t kMostAnswerBytes = size_t{8} << 20U;

  [[nodiscard]] static std::shared_ptr<PodResources> at(
      const std::string& path, std::chrono::milliseconds timeout = kTimeout);
  virtual ~PodResources() = default;

  /// Blocks, for longer only where the file system of the path hangs; one call at a time, on any
  /// thread.
  [[nodiscard]] virtual ListOutcome list(const ResourceNames& resources) = 0;

  /// A call that is under way fails, as do later ones. Waits until it has, for half a second at
  /// most. Any thread.
  virtual void close() = 0;
};

}  // namespace patchbay::pods
