#include "fake/client_table.h"

#include <algorithm>

namespace patchbay::fake {

bool ClientTable::add(const ClientPtr& client) {
  const PluginAddress& address = client->link.address();
  auto& clients = by_resource_[address.resource];
  if (rules_ == ClientRules::by_name) {
    clients = {client};
    return true;
  }
  const bool known = std::ranges::any_of(
      clients, [&](const ClientPtr& other) { return other->link.address().path == address.path; });
  if (!known) clients.push_back(client);
  return !known;
}

ClientPtr ClientTable::remove_for(const ClientPtr& ended) {
  const auto found = by_resource_.find(ended->link.address().resource);
  if (found == by_resource_.end()) return {};
  auto& clients = found->second;
  const auto removed =
      rules_ == ClientRules::by_name ? clients.begin() : std::ranges::find(clients, ended);
  if (removed == clients.end()) return {};
  ClientPtr client = *removed;
  clients.erase(removed);
  if (clients.empty()) by_resource_.erase(found);
  return client;
}

ClientPtr ClientTable::newest(const std::string& resource) const {
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? nullptr : found->second.back();
}

}  // namespace patchbay::fake
