#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "standin/plugin_client.h"

namespace patchbay::fake {

using standin::PluginAddress;
using standin::PluginClient;

/// The rules by which a kubelet tracks clients (docs/dev/kubelet.md: Repeated registration).
enum class ClientRules {
  /// 1.25 … 1.36: keyed by resource name. The end of an old stream disconnects the newest client of
  /// that name. The work of Register continues after its caller is gone.
  by_name,
  /// 1.37: clients of one name coexist. A second client with the same socket path is refused. The
  /// work of Register ends with the call.
  by_name_and_path,
};

/// The response to GetDevicePluginOptions.
struct PluginOptions {
  bool pre_start_required = false;
  bool preferred_allocation_available = false;
  friend bool operator==(const PluginOptions&, const PluginOptions&) = default;
};

/// A plugin that is connected to a kubelet.
struct Client {
  explicit Client(PluginAddress address) : link(std::move(address)) {}

  PluginClient link;
  PluginOptions options;  ///< Set before other threads see the client.
};
using ClientPtr = std::shared_ptr<Client>;

/// Tracks the connected plugins by the rules of one kubelet generation. Not thread-safe.
class ClientTable {
 public:
  explicit ClientTable(ClientRules rules) : rules_(rules) {}

  /// Makes the client the newest of its resource. Returns false if the rules refuse it.
  [[nodiscard]] bool add(const ClientPtr& client);

  /// Removes the client of a closed stream. Returns the client that the kubelet then disconnects.
  /// By the rules of 1.25 this can be a newer client.
  ClientPtr remove_for(const ClientPtr& ended);

  /// The client that receives calls; null if there is none.
  [[nodiscard]] ClientPtr newest(const std::string& resource) const;

 private:
  ClientRules rules_;
  std::map<std::string, std::vector<ClientPtr>> by_resource_;  ///< Oldest first; no entry is empty.
};

}  // namespace patchbay::fake
