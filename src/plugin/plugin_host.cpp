#include "plugin/plugin_host.h"

#include <utility>

#include "base/log.h"
#include "plugin/plugin_service.h"
#include "rpc/endpoint_name.h"

namespace patchbay::plugin {

PluginHost::PluginHost(loop::EventLoop& loop, loop::Inotify& inotify, std::string kubelet_directory,
                       AnswerContext answers, status::Counters& counters)
    : inotify_(inotify),
      service_(std::make_unique<PluginService>(loop, std::move(answers))),
      availability_(loop, kubelet_directory + "/kubelet.sock"),
      context_{.loop = loop,
               .service = *service_,
               .availability = availability_,
               .directory = kubelet_directory,
               .start_id = rpc::make_start_id(),
               .counters = counters},
      directory_(loop, inotify, std::move(kubelet_directory),
                 {.on_kubelet_socket = [this](const auto& socket) { on_kubelet_socket(socket); },
                  .on_deleted = [this](const std::string& name) { on_deleted(name); }}) {}

PluginHost::~PluginHost() { end(); }

void PluginHost::end() {
  service_->end();
  election_watches_.clear();
  elections_.clear();
}

void PluginHost::check_liveness(std::function<void()> done) {
  service_->check_liveness(std::move(done));
}

void PluginHost::campaign(const std::string& resource, loop::Task elected) {
  if (!std::exchange(started_, true)) {
    CandidateDirectory::remove_all_stale(directory_.path());
    const size_t removed = rpc::remove_stale_endpoints(directory_.path());
    if (removed > 0) {
      log::info("removed stale sockets", {{"count", std::to_string(removed)}});
    }
    directory_.start();
  }
  election_watches_.erase(resource);
  auto& election = elections_[resource];
  election = std::make_unique<LeaderElection>(context_.loop, context_.directory, resource,
                                              context_.start_id, std::move(elected));
  election->campaign();
  watch_election_directory(resource);
}

/// Without this watch another instance could register the same resource until the next slow poll of
/// the kubelet's directory.
void PluginHost::watch_election_directory(const std::string& resource) {
  const auto election = elections_.find(resource);
  if (election == elections_.end()) return;  // It resigned when it was elected.
  LeaderElection& its = *election->second;
  auto& watch = election_watches_[resource];
  watch = std::make_unique<paths::DirectoryWatch>(
      inotify_, its.directory(),
      paths::DirectoryWatch::Callbacks{
          .on_event = [&its](const loop::InotifyEvent& event) { its.entry_changed(event.name); },
          .on_changed = [&its](bool /*is_there*/) { its.campaign(); }});
  watch->start();
}

bool PluginHost::is_only_instance() const {
  std::set<std::string> ours;
  for (const auto& [resource, election] : elections_) ours.insert(election->path());
  return !CandidateDirectory::any_listener_except(context_.directory, ours);
}

std::unique_ptr<ResourceServer> PluginHost::serve(const inventory::SnapshotPtr& first,
                                                  std::function<void()> acknowledged) {
  auto server = std::make_unique<ResourceServer>(context_, first, std::move(acknowledged));
  server->on_kubelet_socket(kubelet_);
  return server;
}

void PluginHost::on_kubelet_socket(std::optional<SocketIdentity> socket) {
  kubelet_ = socket;
  if (socket) {
    availability_.found();
  } else {
    availability_.missing();
  }
  for (ResourceServer* server : context_.servers) server->on_kubelet_socket(socket);
  for (const auto& [resource, election] : elections_) election->campaign();
}

void PluginHost::on_deleted(const std::string& name) {
  for (ResourceServer* server : context_.servers) server->on_deleted(name);
  if (name != CandidateDirectory::kName) return;
  for (const auto& [resource, election] : elections_) election->campaign();
}

}  // namespace patchbay::plugin
