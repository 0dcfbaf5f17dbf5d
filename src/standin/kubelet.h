#pragma once

#include <chrono>
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
  by_name,           ///< 1.25 … 1.36: keyed by resource name; the end of an old stream disconnects
                     ///< the newest client of that name.
  by_name_and_path,  ///< 1.37: both coexist; the same path twice is refused.
};

/// What happens at the stand-in. Called on a thread of the stand-in, one at a time; must not call
/// back into it.
struct KubeletEvents {
  /// Register was answered with OK.
  std::function<void(const std::string& resource, const std::string& endpoint)> registered;
  /// One message of ListAndWatch: always the whole list.
  std::function<void(const std::string& resource, const std::vector<ListedDevice>&)> listed;
  /// A stream ended, for any reason.
  std::function<void(const std::string& resource, const std::string& why)> ended;
};

/// What a plugin's Allocate answered, as JSON text with sorted keys (nlohmann's dump with indent 2).
using AllocateAnswer = std::string;

/// Serves Registration on `DIR/kubelet.sock`, dials each plugin that registers inside Register (10 s),
/// asks its options, answers, and only then opens one ListAndWatch (kubelet contract 2.1). Thread-safe.
class Kubelet {
 public:
  struct Options {
    std::string directory;  ///< Made if it is not there (0750); sockets in it are deleted (3.1).
    ClientRules rules = ClientRules::by_name_and_path;
  };
  [[nodiscard]] static Result<std::unique_ptr<Kubelet>> start(Options options, KubeletEvents events);
  /// Drops all connections, as the end of a kubelet's process does. kubelet.sock stays (3.1).
  virtual ~Kubelet() = default;

  /// Allocate of the newest client of `resource`, for one container.
  [[nodiscard]] virtual Result<AllocateAnswer> allocate(const std::string& resource,
                                                        const std::vector<std::string>& ids,
                                                        std::chrono::milliseconds deadline) = 0;
};

}  // namespace patchbay::standin
