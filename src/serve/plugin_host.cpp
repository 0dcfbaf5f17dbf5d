#include "serve/plugin_host.h"

#include <utility>

#include "base/log.h"
#include "serve/endpoint_name.h"

namespace patchbay::serve {

PluginHost::PluginHost(loop::EventLoop& loop, loop::Inotify& inotify, std::string kubelet_directory,
                       AnswerContext answers, observe::Counters& counters)
    : inotify_(inotify),
      service_(PluginService::start(std::move(answers))),
      wait_(loop, kubelet_directory + "/kubelet.sock"),
      side_{.loop = loop,
            .service = *service_,
            .wait = wait_,
            .directory = kubelet_directory,
            .start_id = make_start_id(),
            .counters = counters},
      directory_(loop, inotify, std::move(kubelet_directory),
                 {.kubelet_socket = [this](const auto& socket) { kubelet_socket(socket); },
                  .deleted = [this](const std::string& name) { deleted(name); }}) {}

PluginHost::~PluginHost() { end(); }

void PluginHost::end() {
  service_->end();
  candidate_watches_.clear();
  candidacies_.clear();
}

void PluginHost::stand(const std::string& resource, loop::Task elected) {
  if (!std::exchange(started_, true)) {
    CandidateDirectory::clean_all(directory_.path());
    const size_t removed = remove_stale_endpoints(directory_.path());
    if (removed > 0) {
      log::info("removed sockets that an earlier run left", {{"count", std::to_string(removed)}});
    }
    directory_.start();
  }
  candidate_watches_.erase(resource);
  auto& candidacy = candidacies_[resource];
  candidacy = std::make_unique<Candidacy>(side_.loop, side_.directory, resource, side_.start_id,
                                          std::move(elected));
  candidacy->enter();
  watch_candidates(resource);
}

/// Until the slow look at the kubelet's directory another instance could register beside this one.
void PluginHost::watch_candidates(const std::string& resource) {
  const auto candidacy = candidacies_.find(resource);
  if (candidacy == candidacies_.end()) return;  // It stood down when it was elected.
  Candidacy& its = *candidacy->second;
  auto& watch = candidate_watches_[resource];
  watch = std::make_unique<host::DirectoryWatch>(
      inotify_, its.directory(),
      host::DirectoryWatch::Callbacks{
          .on_event = [&its](const loop::InotifyEvent& event) { its.entry_changed(event.name); },
          .on_changed = [&its](bool /*is_there*/) { its.enter(); }});
  watch->start();
}

bool PluginHost::is_alone() const {
  std::set<std::string> ours;
  for (const auto& [resource, candidacy] : candidacies_) ours.insert(candidacy->path());
  return !CandidateDirectory::anybody_but(side_.directory, ours);
}

std::unique_ptr<ResourceServer> PluginHost::serve(const inventory::SnapshotPtr& first) {
  auto server = std::make_unique<ResourceServer>(side_, first);
  server->kubelet_socket(kubelet_);
  return server;
}

void PluginHost::kubelet_socket(std::optional<SocketIdentity> socket) {
  kubelet_ = socket;
  if (socket) {
    wait_.found();
  } else {
    wait_.missing();
  }
  for (ResourceServer* server : side_.servers) server->kubelet_socket(socket);
  for (const auto& [resource, candidacy] : candidacies_) candidacy->enter();
}

void PluginHost::deleted(const std::string& name) {
  for (ResourceServer* server : side_.servers) server->deleted(name);
  if (name != CandidateDirectory::kName) return;
  for (const auto& [resource, candidacy] : candidacies_) candidacy->enter();
}

}  // namespace patchbay::serve
