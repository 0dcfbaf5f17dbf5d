#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "standin/kubelet.h"
#include "standin/plugin_client.h"

namespace patchbay::standin {

/// A plugin that a kubelet uses.
struct Client {
  explicit Client(PluginAddress address) : link(std::move(address)) {}

  PluginClient link;
  PluginOptions options;  ///< Set before others see the client.
};
using ClientPtr = std::shared_ptr<Client>;

/// Who is connected, by the rules of one kubelet generation. Not thread-safe.
class ClientTable {
 public:
  explicit ClientTable(ClientRules rules) : rules_(rules) {}

  /// The client is the newest of its resource now. False: the rules refuse it.
  [[nodiscard]] bool add(const ClientPtr& client);

  /// The stream of `ended` is over. Returns whom the kubelet disconnects for that: by the rules of
  /// 1.25 not always the same.
  ClientPtr remove_for(const ClientPtr& ended);

  /// The one that calls go to; none: empty.
  [[nodiscard]] ClientPtr newest(const std::string& resource) const;

 private:
  ClientRules rules_;
  std::map<std::string, std::vector<ClientPtr>> by_resource_;  ///< Oldest first, none empty.
};

}  // namespace patchbay::standin
