#include "serve/plugin_host.h"

#include "base/log.h"
#include "serve/endpoint_name.h"

namespace patchbay::serve {

PluginHost::PluginHost(loop::EventLoop& loop, loop::Inotify& inotify, std::string kubelet_directory,
                       AnswerContext answers)
    : loop_(loop),
      service_(PluginService::start(std::move(answers))),
      wait_(loop, kubelet_directory + "/kubelet.sock"),
      directory_(loop, inotify, std::move(kubelet_directory),
                 {.kubelet_socket = [this](const auto& socket) { kubelet_socket(socket); },
                  .deleted =
                      [this](const std::string& name) {
                        for (const auto& [resource, server] : servers_) server->deleted(name);
                      }}) {}

PluginHost::~PluginHost() {
  // Streams end first, then sockets go: nobody can connect to a server that is going.
  servers_.clear();
  service_.reset();
}

void PluginHost::start(const std::vector<inventory::SnapshotPtr>& first) {
  const size_t removed = remove_stale_endpoints(directory_.path());
  if (removed > 0) {
    log::info("removed sockets that an earlier run left", {{"count", std::to_string(removed)}});
  }
  const std::string start_id = make_start_id();
  for (const auto& snapshot : first) {
    servers_.emplace(snapshot->resource->name,
                     std::make_unique<ResourceServer>(loop_, *service_, wait_, directory_.path(),
                                                      start_id, snapshot));
  }
  directory_.start();
}

void PluginHost::kubelet_socket(std::optional<SocketIdentity> socket) {
  if (socket) {
    wait_.found();
  } else {
    wait_.missing();
  }
  for (const auto& [resource, server] : servers_) server->kubelet_socket(socket);
}

void PluginHost::publish(inventory::SnapshotPtr snapshot) {
  servers_.at(snapshot->resource->name)->publish(std::move(snapshot));
}

}  // namespace patchbay::serve
