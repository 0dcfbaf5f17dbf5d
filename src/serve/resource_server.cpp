#include "serve/resource_server.h"

#include <sys/stat.h>

#include "base/text.h"
#include "serve/endpoint_name.h"

namespace patchbay::serve {
namespace {

/// Long, because the kubelet dials back and asks for options inside Register (kubelet
/// contract 2.1).
constexpr std::chrono::seconds kRegisterDeadline{20};

}  // namespace

ResourceServer::ResourceServer(loop::EventLoop& loop, PluginService& service, KubeletWait& wait,
                               std::string directory, std::string start_id,
                               const inventory::SnapshotPtr& first)
    : loop_(loop),
      service_(service),
      wait_(wait),
      directory_(std::move(directory)),
      start_id_(std::move(start_id)),
      channel_(std::make_shared<ResourceChannel>(first)),
      registration_(loop, channel_->resource, *this,
                    static_cast<uint32_t>(stable_hash(channel_->resource + start_id_))),
      alive_(std::make_shared<ResourceServer*>(this)) {
  channel_->on_stream = [&loop, weak = std::weak_ptr(alive_)](StreamEvent event) {
    loop.post([weak, event] {
      if (const auto alive = weak.lock()) (*alive)->registration_.stream_event(event);
    });
  };
}

ResourceServer::~ResourceServer() = default;

void ResourceServer::publish(inventory::SnapshotPtr snapshot) {
  channel_->hub.publish(std::move(snapshot));
}

void ResourceServer::kubelet_socket(std::optional<SocketIdentity> socket) {
  registration_.kubelet_socket(socket);
}

void ResourceServer::deleted(const std::string& name) {
  if (endpoint_.empty() || (!name.empty() && name != endpoint_)) return;
  struct stat status {};
  const std::string path = directory_ + "/" + endpoint_;
  if (lstat(path.c_str(), &status) == 0) return;
  endpoint_.clear();
  registration_.endpoint_deleted();
}

Result<std::string> ResourceServer::open_endpoint() {
  endpoint_.clear();
  listener_.reset();
  std::string name = endpoint_name(channel_->resource, start_id_, endpoints_++);
  auto listener = UnixListener::open(loop_, directory_ + "/" + name, [this](UniqueFd connection) {
    service_.serve(std::move(connection), channel_);
  });
  if (!listener) return std::unexpected(listener.error());
  listener_ = std::move(*listener);
  endpoint_ = name;
  return name;
}

void ResourceServer::send_register(const SocketIdentity& kubelet, const std::string& endpoint,
                                   std::move_only_function<void(RegisterOutcome)> done) {
  // Shared, because gRPC's side needs a copyable function; called once.
  auto shared = std::make_shared<std::move_only_function<void(RegisterOutcome)>>(std::move(done));
  service_.register_resource(
      {.path = directory_ + "/kubelet.sock", .identity = kubelet}, endpoint,
      *channel_->hub.current(), kRegisterDeadline,
      [&loop = loop_, weak = std::weak_ptr(alive_), shared](const RegisterOutcome& outcome) {
        loop.post([weak, shared, outcome] {
          if (weak.lock()) (*shared)(outcome);
        });
      });
}

}  // namespace patchbay::serve
