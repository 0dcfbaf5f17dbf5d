#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "standin/kubelet.h"
#include "standin/plugin_client.h"

namespace patchbay::standin {

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

  /// Removes the client of a closed stream. Returns the client that the kubelet disconnects because
  /// of that: by the rules of 1.25 it can be a newer one.
  ClientPtr remove_for(const ClientPtr& ended);

  /// The client that receives calls; null if there is none.
  [[nodiscard]] ClientPtr newest(const std::string& resource) const;

 private:
  ClientRules rules_;
  std::map<std::string, std::vector<ClientPtr>> by_resource_;  ///< Oldest first; no entry is empty.
};

}  // namespace patchbay::standin
