#pragma once

#include <chrono>
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

/// The rules by which the stand-in tracks clients (docs/kubelet.md: Repeated registration).
enum class ClientRules {
  /// 1.25 … 1.36: keyed by resource name. The end of an old stream disconnects the newest client of
  /// that name. The work of Register continues after its caller is gone.
  by_name,
  /// 1.37: clients of one name coexist; the same path twice is refused. The work of Register ends
  /// with the call.
  by_name_and_path,
};

/// Callbacks of the stand-in. Called on its threads, one at a time, also during its destruction.
/// They must not destroy it. Each can be empty.
struct KubeletEvents {
  /// Register was answered with OK.
  std::function<void(const std::string& resource, const std::string& endpoint)> registered;
  /// Register is answered with an error. The resource name is not validated.
  std::function<void(const std::string& resource, const std::string& why)> refused;
  /// A ListAndWatch message, which is always the whole list.
  std::function<void(const std::string& resource, const std::vector<ListedDevice>&)> listed;
  /// A stream ended, for any reason.
  std::function<void(const std::string& resource, const std::string& why)> ended;
};

/// A plugin's Allocate response as JSON text with sorted keys (nlohmann's dump with indent 2):
/// annotations, cdi_devices (names), devices, envs, mounts. Empty fields are included.
using AllocateAnswer = std::string;

/// The response to GetDevicePluginOptions.
struct PluginOptions {
  bool pre_start_required = false;
  bool preferred_allocation_available = false;
  friend bool operator==(const PluginOptions&, const PluginOptions&) = default;
};

/// The request of GetPreferredAllocation, for one container.
struct PreferenceQuery {
  std::vector<std::string> available;
  std::vector<std::string> must_include;
  int32_t size = 0;
};

/// A stand-in for the kubelet's device manager. It serves Registration on `DIR/kubelet.sock`.
/// Within each Register call it connects to the plugin (10 s) and reads its options. Then it
/// answers, and opens one ListAndWatch (docs/kubelet.md: Register). Calls go to the newest client
/// of the resource; an Error has the status name and message. Thread-safe. It is an interface, so
/// that few files are compiled with gRPC.
class Kubelet {
 public:
  struct Options {
    std::string
        directory;  ///< Created if it does not exist (0750); sockets in it are deleted (3.1).
    ClientRules rules = ClientRules::by_name_and_path;
  };
  [[nodiscard]] static Result<std::unique_ptr<Kubelet>> start(Options options,
                                                              KubeletEvents events);

  Kubelet() = default;
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;
  /// Drops all connections, as the exit of a kubelet does. kubelet.sock stays (3.1).
  virtual ~Kubelet() = default;

  /// Calls Allocate, for one container.
  [[nodiscard]] virtual Result<AllocateAnswer> allocate(const std::string& resource,
                                                        const std::vector<std::string>& ids,
                                                        std::chrono::milliseconds deadline) = 0;
  /// Calls GetPreferredAllocation. Returns no ids if the response has no container.
  [[nodiscard]] virtual Result<std::vector<std::string>> preferred_allocation(
      const std::string& resource, const PreferenceQuery& query,
      std::chrono::milliseconds deadline) = 0;
  /// Calls PreStartContainer.
  [[nodiscard]] virtual Result<void> pre_start(const std::string& resource,
                                               const std::vector<std::string>& ids,
                                               std::chrono::milliseconds deadline) = 0;
  /// The options of the newest client, from its registration.
  [[nodiscard]] virtual Result<PluginOptions> options(const std::string& resource) const = 0;
};

}  // namespace patchbay::standin
