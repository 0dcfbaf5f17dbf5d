#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

/// A kubelet's end of the device plugin API, and nothing else of a kubelet.
namespace patchbay::standin {

struct ListedDevice {
  std::string id;
  bool healthy = false;
  std::vector<int64_t> numa_nodes;
  friend bool operator==(const ListedDevice&, const ListedDevice&) = default;
};

/// Which rules the stand-in keeps clients by (kubelet contract 2.3).
enum class ClientRules {
  by_name,  ///< 1.25 … 1.36: keyed by resource name; the end of an old stream disconnects
            ///< the newest client of that name. Register's work outlives its caller.
  by_name_and_path,  ///< 1.37: both coexist; the same path twice is refused. Register's work ends
                     ///< with the call.
};

/// What happens at the stand-in. Called on threads of the stand-in, one at a time, also while it is
/// destroyed; must not destroy it. Each may be empty.
struct KubeletEvents {
  /// Register was answered with OK.
  std::function<void(const std::string& resource, const std::string& endpoint)> registered;
  /// Register is answered with an error. The name may be anything: nobody has checked it.
  std::function<void(const std::string& resource, const std::string& why)> refused;
  /// One message of ListAndWatch: always the whole list.
  std::function<void(const std::string& resource, const std::vector<ListedDevice>&)> listed;
  /// A stream ended, for any reason.
  std::function<void(const std::string& resource, const std::string& why)> ended;
};

/// What a plugin's Allocate answered, as JSON text with sorted keys (nlohmann's dump with indent
/// 2): annotations, cdi_devices (names), devices, envs, mounts; all are there, also the empty ones.
using AllocateAnswer = std::string;

/// What GetDevicePluginOptions answered.
struct PluginOptions {
  bool pre_start_required = false;
  bool preferred_allocation_available = false;
  friend bool operator==(const PluginOptions&, const PluginOptions&) = default;
};

/// The question of GetPreferredAllocation, for one container.
struct PreferenceQuery {
  std::vector<std::string> available;
  std::vector<std::string> must_include;
  int32_t size = 0;
};

/// Serves Registration on `DIR/kubelet.sock`, dials each plugin that registers inside Register (10
/// s), asks its options, answers, and only then opens one ListAndWatch (kubelet contract 2.1).
/// Calls go to the newest client of the resource; an Error has the code's name and the message.
/// Thread-safe. An interface, so that few files are compiled with gRPC.
class Kubelet {
 public:
  struct Options {
    std::string directory;  ///< Made if it is not there (0750); sockets in it are deleted (3.1).
    ClientRules rules = ClientRules::by_name_and_path;
  };
  [[nodiscard]] static Result<std::unique_ptr<Kubelet>> start(Options options,
                                                              KubeletEvents events);

  Kubelet() = default;
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;
  /// Drops all connections, as the end of a kubelet's process does. kubelet.sock stays (3.1).
  virtual ~Kubelet() = default;

  /// Allocate, for one container.
  [[nodiscard]] virtual Result<AllocateAnswer> allocate(const std::string& resource,
                                                        const std::vector<std::string>& ids,
                                                        std::chrono::milliseconds deadline) = 0;
  /// GetPreferredAllocation; without an answer for the container: no ids.
  [[nodiscard]] virtual Result<std::vector<std::string>> preferred_allocation(
      const std::string& resource, const PreferenceQuery& query,
      std::chrono::milliseconds deadline) = 0;
  /// PreStartContainer.
  [[nodiscard]] virtual Result<void> pre_start(const std::string& resource,
                                               const std::vector<std::string>& ids,
                                               std::chrono::milliseconds deadline) = 0;
  /// What the newest client answered when it registered.
  [[nodiscard]] virtual Result<PluginOptions> options(const std::string& resource) const = 0;
};

}  // namespace patchbay::standin
