// A device plugin that does nothing but what every one must: the floor of scripts/bench.
//   bare_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN
//   bare_plugin KUBELET_DIR RESOURCE files DIRECTORY
// It sends its list when the kernel says that a device or a file has come or gone, with the name
// that the kernel gave, from the thread that heard it, and looks at nothing. Allocate answers with
// nothing. It has neither a rule, nor facts, nor health, and does not come back when a kubelet
// does.
#include <dirent.h>
#include <fnmatch.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "base/unique_fd.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"

namespace patchbay::bench {
namespace {

/// The units, as the message that is sent.
class Units {
 public:
  void add(const std::string& name) {
    if (!names_.insert(name).second) return;
    v1beta1::Device* device = list_.add_devices();
    device->set_id(name);
    device->set_health("Healthy");
  }
  void remove(const std::string& name) {
    if (names_.erase(name) == 0) return;
    // From the end, where what came last is.
    for (int at = list_.devices_size() - 1; at >= 0; --at) {
      if (list_.devices(at).id() != name) continue;
      list_.mutable_devices()->DeleteSubrange(at, 1);
      return;
    }
  }
  [[nodiscard]] const v1beta1::ListAndWatchResponse& list() const { return list_; }

 private:
  std::unordered_set<std::string> names_;
  v1beta1::ListAndWatchResponse list_;
};

/// Who tells of units; the thread of one stream owns it.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual int fd() const = 0;
  /// Those that there are.
  virtual void fill(Units& units) = 0;
  /// Takes what the kernel said by now; whether it was about a unit that came or went.
  virtual bool take(Units& units) = 0;
};

void fill_from(const std::string& directory, const std::string& pattern, Units& units) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] != '.' && ::fnmatch(pattern.c_str(), entry->d_name, 0) == 0) {
      units.add(entry->d_name);
    }
  }
}

class Uevents final : public Source {
 public:
  Uevents(const std::string& subsystem, std::string pattern)
      : directory_("/sys/class/" + subsystem),
        subsystem_('\0' + ("SUBSYSTEM=" + subsystem) + '\0'),
        pattern_(std::move(pattern)),
        socket_(
            ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT)) {
    constexpr int kBuffer = 8 << 20;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    kernel.nl_groups = 1;
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&kernel), sizeof kernel) != 0) {
      throw std::runtime_error("no uevents can be heard here");
    }
  }
  [[nodiscard]] int fd() const override { return socket_.get(); }
  void fill(Units& units) override { fill_from(directory_, pattern_, units); }
  bool take(Units& units) override {
    std::array<char, 8192> message;
    bool changed = false;
    ssize_t size = 0;
    while ((size = ::recv(socket_.get(), message.data(), message.size(), 0)) > 0) {
      changed |= take({message.data(), static_cast<size_t>(size)}, units);
    }
    return changed;
  }

 private:
  bool take(std::string_view message, Units& units) const {
    if (message.find(subsystem_) == std::string_view::npos) return false;
    const std::string_view header = message.substr(0, message.find('\0'));
    const std::string name(header.substr(header.rfind('/') + 1));
    if (::fnmatch(pattern_.c_str(), name.c_str(), 0) != 0) return false;
    if (header.starts_with("add@")) {
      units.add(name);
    } else if (header.starts_with("remove@")) {
      units.remove(name);
    } else {
      return false;
    }
    return true;
  }

  std::string directory_;
  std::string subsystem_;  ///< As it stands in a message.
  std::string pattern_;
  UniqueFd socket_;
};

class Files final : public Source {
 public:
  explicit Files(std::string directory)
      : directory_(std::move(directory)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (::inotify_add_watch(inotify_.get(), directory_.c_str(), IN_CREATE | IN_DELETE) < 0) {
      throw std::runtime_error(directory_ + " cannot be watched");
    }
  }
  [[nodiscard]] int fd() const override { return inotify_.get(); }
  void fill(Units& units) override { fill_from(directory_, "*", units); }
  bool take(Units& units) override {
    alignas(inotify_event) std::array<char, 4096> events;
    const ssize_t size = ::read(inotify_.get(), events.data(), events.size());
    for (ssize_t at = 0; at < size;) {
      const auto* event =
          reinterpret_cast<const inotify_event*>(&events.at(static_cast<size_t>(at)));
      if ((event->mask & IN_CREATE) != 0) units.add(event->name);
      if ((event->mask & IN_DELETE) != 0) units.remove(event->name);
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return size > 0;
  }

 private:
  std::string directory_;
  UniqueFd inotify_;
};

using MakeSource = std::function<std::unique_ptr<Source>()>;

class Plugin final : public v1beta1::DevicePlugin::Service {
 public:
  explicit Plugin(MakeSource make_source) : make_source_(std::move(make_source)) {}

  grpc::Status GetDevicePluginOptions(grpc::ServerContext* /*context*/,
                                      const v1beta1::Empty* /*request*/,
                                      v1beta1::DevicePluginOptions* /*response*/) override {
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext* /*context*/,
                        const v1beta1::AllocateRequest* /*request*/,
                        v1beta1::AllocateResponse* /*response*/) override {
    return grpc::Status::OK;
  }
  grpc::Status ListAndWatch(grpc::ServerContext* context, const v1beta1::Empty* /*request*/,
                            grpc::ServerWriter<v1beta1::ListAndWatchResponse>* stream) override {
    constexpr int kLookForEndMs = 1000;
    const std::unique_ptr<Source> source = make_source_();
    Units units;
    source->fill(units);
    bool open = stream->Write(units.list());
    while (open) {
      pollfd ready{.fd = source->fd(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, kLookForEndMs) == 0) {
        open = !context->IsCancelled();
      } else if (source->take(units)) {
        open = stream->Write(units.list());
      }
    }
    return grpc::Status::OK;
  }

 private:
  MakeSource make_source_;
};

void serve(const std::string& directory, const std::string& resource, MakeSource make_source) {
  const std::string endpoint = "bare-" + std::to_string(::getpid()) + ".sock";
  Plugin plugin(std::move(make_source));
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + directory + "/" + endpoint, grpc::InsecureServerCredentials());
  builder.RegisterService(&plugin);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) throw std::runtime_error("nothing can be served in " + directory);

  const auto kubelet = v1beta1::Registration::NewStub(grpc::CreateChannel(
      "unix:" + directory + "/kubelet.sock", grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1beta1::RegisterRequest request;
  request.set_version("v1beta1");
  request.set_endpoint(endpoint);
  request.set_resource_name(resource);
  v1beta1::Empty response;
  const grpc::Status status = kubelet->Register(&context, request, &response);
  if (!status.ok()) throw std::runtime_error("not registered: " + status.error_message());
  server->Wait();
}

int main_of(const std::vector<std::string>& words) {
  if (words.size() == 5 && words[2] == "uevents") {
    serve(words[0], words[1], [&] { return std::make_unique<Uevents>(words[3], words[4]); });
  } else if (words.size() == 4 && words[2] == "files") {
    serve(words[0], words[1], [&] { return std::make_unique<Files>(words[3]); });
  } else {
    std::fputs(
        "usage: bare_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN | files DIRECTORY\n",
        stderr);
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) {
  try {
    return patchbay::bench::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bare_plugin: %s\n", error.what());
    return 1;
  }
}
