#include "bench/bare/plugin.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>

#include "base/unique_fd.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"

namespace patchbay::bench {
namespace {

class Plugin final : public v1beta1::DevicePlugin::Service {
 public:
  Plugin(MakeSource make_source, Chooser& chooser)
      : make_source_(std::move(make_source)), chooser_(chooser) {}

  grpc::Status GetDevicePluginOptions(grpc::ServerContext* /*context*/,
                                      const v1beta1::Empty* /*request*/,
                                      v1beta1::DevicePluginOptions* /*response*/) override {
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext* /*context*/, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* answer) override {
    for (const auto& container : request->container_requests()) {
      const auto& ids = container.devices_ids();
      chooser_.give({ids.begin(), ids.end()}, *answer);
    }
    return grpc::Status::OK;
  }
  /// Waits for events of the kernel only, so that the thread has no other wake-ups.
  grpc::Status ListAndWatch(grpc::ServerContext* /*context*/, const v1beta1::Empty* /*request*/,
                            grpc::ServerWriter<v1beta1::ListAndWatchResponse>* stream) override {
    const std::unique_ptr<Source> source = make_source_();
    const std::shared_ptr<const UniqueFd> end = end_of_streams();
    Units units;
    source->fill(units);
    bool open = stream->Write(units.list());
    while (open) {
      std::array<pollfd, 2> ready{{{.fd = source->fd(), .events = POLLIN, .revents = 0},
                                   {.fd = end->get(), .events = POLLIN, .revents = 0}}};
      ::poll(ready.data(), ready.size(), -1);
      if (ready[1].revents != 0) break;
      if (ready[0].revents != 0 && source->take(units)) open = stream->Write(units.list());
    }
    return grpc::Status::OK;
  }
  /// Ends the streams of an old kubelet.
  void end_streams() {
    ::eventfd_write(end_of_streams()->get(), 1);
    const std::lock_guard lock(mutex_);
    end_ = std::make_shared<const UniqueFd>(::eventfd(0, EFD_CLOEXEC));
  }

 private:
  [[nodiscard]] std::shared_ptr<const UniqueFd> end_of_streams() {
    const std::lock_guard lock(mutex_);
    return end_;
  }

  MakeSource make_source_;
  Chooser& chooser_;
  std::mutex mutex_;
  std::shared_ptr<const UniqueFd> end_ =
      std::make_shared<const UniqueFd>(::eventfd(0, EFD_CLOEXEC));
};

/// Listens on a socket for one kubelet, and gives its connections to the server.
class Door {
 public:
  Door(const std::string& path, grpc::Server& server)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr int kWaiting = 16;
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + " is too long");
    std::ranges::copy(path, address.sun_path);
    ::unlink(path.c_str());
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket_.get(), kWaiting) != 0) {
      throw std::runtime_error("nothing can be served at " + path);
    }
    thread_ = std::jthread([this, &server] { accept_for(server); });
  }
  ~Door() { ::shutdown(socket_.get(), SHUT_RDWR); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  Door(Door&&) = delete;
  Door& operator=(Door&&) = delete;

 private:
  void accept_for(grpc::Server& server) const {
    int connection = -1;
    while ((connection =
                ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
      grpc::AddInsecureChannelFromFd(&server, connection);
    }
  }

  UniqueFd socket_;
  std::jthread thread_;  ///< Ends at the shutdown of the socket. Joined before the socket is
                         ///< closed.
};

/// Registers with a new kubelet. Returns the kubelet's answer.
grpc::Status enter(const std::string& directory, const v1beta1::RegisterRequest& request) {
  // Retries, because the kubelet may not listen yet. Uses new channels, because gRPC waits a second
  // after a failed connection.
  constexpr int kTries = 1000;
  constexpr std::chrono::milliseconds kBetween{1};
  grpc::ChannelArguments own_connection;
  own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  grpc::Status status;
  for (int tried = 0; tried < kTries; ++tried) {
    const auto kubelet = v1beta1::Registration::NewStub(grpc::CreateCustomChannel(
        "unix:" + directory + "/kubelet.sock", grpc::InsecureChannelCredentials(), own_connection));
    grpc::ClientContext context;
    v1beta1::Empty response;
    status = kubelet->Register(&context, request, &response);
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) break;
    std::this_thread::sleep_for(kBetween);
  }
  return status;
}

void wait_for_kubelet(int inotify) {
  alignas(inotify_event) std::array<char, 4096> events;
  while (true) {
    const ssize_t size = ::read(inotify, events.data(), events.size());
    if (size <= 0) throw std::runtime_error("the kubelet's directory cannot be watched any more");
    for (ssize_t at = 0; at < size;) {
      const auto* event =
          reinterpret_cast<const inotify_event*>(&events.at(static_cast<size_t>(at)));
      if (event->len != 0 && std::string_view(event->name) == "kubelet.sock") return;
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
  }
}

}  // namespace

void serve(const std::string& directory, const std::string& resource, MakeSource make_source,
           Chooser& chooser) {
  const std::string endpoint = "bare-" + std::to_string(::getpid()) + ".sock";
  Plugin plugin(std::move(make_source), chooser);
  grpc::ServerBuilder builder;
  builder.RegisterService(&plugin);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) throw std::runtime_error("gRPC does not start");
  const UniqueFd kubelet(::inotify_init1(IN_CLOEXEC));
  if (::inotify_add_watch(kubelet.get(), directory.c_str(), IN_CREATE | IN_MOVED_TO) < 0) {
    throw std::runtime_error(directory + " cannot be watched");
  }

  v1beta1::RegisterRequest request;
  request.set_version("v1beta1");
  request.set_endpoint(endpoint);
  request.set_resource_name(resource);
  while (true) {
    const Door door(directory + "/" + endpoint, *server);
    const grpc::Status status = enter(directory, request);
    if (!status.ok()) throw std::runtime_error("not registered: " + status.error_message());
    wait_for_kubelet(kubelet.get());
    plugin.end_streams();
  }
}

}  // namespace patchbay::bench
