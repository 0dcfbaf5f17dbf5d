// A device plugin that does nothing but what every one must: the floor of scripts/bench.
//   bare_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN
//   bare_plugin KUBELET_DIR RESOURCE files DIRECTORY
//   bare_plugin KUBELET_DIR RESOURCE uevents-look SUBSYSTEM PATTERN
//   bare_plugin KUBELET_DIR RESOURCE files-look DIRECTORY
// It sends its list when the kernel says that a device or a file has come or gone, with the name
// that the kernel gave, from the thread that heard it, and looks at nothing. Allocate answers with
// nothing. With -look it also looks at what has come, as who must know what that is, and at what it
// gives away: it asks the kernel as the daemon does at least, where nothing can hang. When a
// kubelet.sock comes it registers again, since the directory may have been emptied with a socket of
// its own. It has neither a rule, nor facts, nor health.
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>

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

/// What the kernel says of the devices of a subsystem.
class Uevents {
 public:
  struct Event {
    std::string device;  ///< Below /sys.
    std::string name;
    bool came = false;  ///< Else it went.
  };

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
  [[nodiscard]] int fd() const { return socket_.get(); }
  void fill(Units& units) const { fill_from(directory_, pattern_, units); }
  /// What was said by now.
  std::vector<Event> take() {
    std::array<char, 8192> message;
    std::vector<Event> events;
    ssize_t size = 0;
    while ((size = ::recv(socket_.get(), message.data(), message.size(), 0)) > 0) {
      take({message.data(), static_cast<size_t>(size)}, events);
    }
    return events;
  }

 private:
  void take(std::string_view message, std::vector<Event>& events) const {
    if (message.find(subsystem_) == std::string_view::npos) return;
    const std::string_view header = message.substr(0, message.find('\0'));
    const size_t at = header.find('@');
    const bool came = header.starts_with("add@");
    if (!came && !header.starts_with("remove@")) return;
    Event event{.device = std::string(header.substr(at + 1)),
                .name = std::string(header.substr(header.rfind('/') + 1)),
                .came = came};
    if (::fnmatch(pattern_.c_str(), event.name.c_str(), 0) == 0) events.push_back(std::move(event));
  }

  std::string directory_;
  std::string subsystem_;  ///< As it stands in a message.
  std::string pattern_;
  UniqueFd socket_;
};

UniqueFd open_if(const std::string& path, uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = resolve;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

/// What a path is, and on which mount; the kernel has it in its memory.
void look_at_path(const std::string& path) {
  const UniqueFd fd = open_if(path, RESOLVE_CACHED);
  file_handle handle{};
  int mount = -1;
  struct statx status {};
  if (::name_to_handle_at(fd.get(), "", &handle, &mount, AT_EMPTY_PATH) == 0 ||
      errno != EOVERFLOW ||
      ::statx(fd.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MODE, &status) !=
          0) {
    std::fprintf(stderr, "bare_plugin: %s is not there\n", path.c_str());
  }
}

/// A device's subsystem, its NUMA node, and whether udev has worked on it.
void look_at_device(const std::string& device) {
  std::array<char, 4096> text;
  const UniqueFd directory = open_if(device, RESOLVE_NO_SYMLINKS);
  (void)!::readlinkat(directory.get(), "subsystem", text.data(), text.size());
  (void)!::faccessat(directory.get(), "numa_node", F_OK, 0);
  (void)!::access(("/run/udev/data/" + device.substr(device.rfind('/') + 1)).c_str(), F_OK);
}

class Devices final : public Source {
 public:
  Devices(Uevents uevents, bool looks) : uevents_(std::move(uevents)), looks_(looks) {}
  [[nodiscard]] int fd() const override { return uevents_.fd(); }
  void fill(Units& units) override { uevents_.fill(units); }
  bool take(Units& units) override {
    const auto events = uevents_.take();
    for (const Uevents::Event& event : events) {
      if (event.came && looks_) look_at_device("/sys" + event.device);
      event.came ? units.add(event.name) : units.remove(event.name);
    }
    return !events.empty();
  }

 private:
  Uevents uevents_;
  bool looks_;
};

class Files final : public Source {
 public:
  Files(std::string directory, bool looks)
      : directory_(std::move(directory)),
        looks_(looks),
        inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
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
      if ((event->mask & IN_CREATE) != 0) {
        if (looks_) look_at_path(directory_ + '/' + event->name);
        units.add(event->name);
      }
      if ((event->mask & IN_DELETE) != 0) units.remove(event->name);
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return size > 0;
  }

 private:
  std::string directory_;
  bool looks_;
  UniqueFd inotify_;
};

struct Hardware {
  std::function<std::unique_ptr<Source>()> source;
  std::string nodes{};  ///< Where what is given away is looked at; empty: it is not.
};

class Plugin final : public v1beta1::DevicePlugin::Service {
 public:
  explicit Plugin(Hardware hardware) : hardware_(std::move(hardware)) {}

  grpc::Status GetDevicePluginOptions(grpc::ServerContext* /*context*/,
                                      const v1beta1::Empty* /*request*/,
                                      v1beta1::DevicePluginOptions* /*response*/) override {
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext* /*context*/, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* /*response*/) override {
    for (const auto& container : request->container_requests()) {
      for (const std::string& id : container.devices_ids()) {
        if (!hardware_.nodes.empty()) look_at_path(hardware_.nodes + '/' + id);
      }
    }
    return grpc::Status::OK;
  }
  /// Waits for the kernel alone, and wakes for nothing else.
  grpc::Status ListAndWatch(grpc::ServerContext* /*context*/, const v1beta1::Empty* /*request*/,
                            grpc::ServerWriter<v1beta1::ListAndWatchResponse>* stream) override {
    const std::unique_ptr<Source> source = hardware_.source();
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
  /// Ends the streams of a kubelet that is gone.
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

  Hardware hardware_;
  std::mutex mutex_;
  std::shared_ptr<const UniqueFd> end_ =
      std::make_shared<const UniqueFd>(::eventfd(0, EFD_CLOEXEC));
};

/// A socket at which a kubelet finds the server, until it is destroyed.
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
  std::jthread thread_;  ///< Ends when nothing can be accepted any more; before the socket does.
};

/// Whether the kubelet that has just come took it.
grpc::Status enter(const std::string& directory, const v1beta1::RegisterRequest& request) {
  // It may not listen yet. A connection that was tried in vain is not tried again for a second.
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

void serve(const std::string& directory, const std::string& resource, Hardware hardware) {
  const std::string endpoint = "bare-" + std::to_string(::getpid()) + ".sock";
  Plugin plugin(std::move(hardware));
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

int main_of(const std::vector<std::string>& words) {
  const std::string mode = words.size() > 2 ? words[2] : "";
  const bool looks = mode.ends_with("-look");
  if (words.size() == 5 && (mode == "uevents" || mode == "uevents-look")) {
    const auto source = [&] {
      return std::make_unique<Devices>(Uevents(words[3], words[4]), looks);
    };
    serve(words[0], words[1], {.source = source, .nodes = looks ? "/dev" : ""});
  } else if (words.size() == 4 && (mode == "files" || mode == "files-look")) {
    const auto source = [&] { return std::make_unique<Files>(words[3], looks); };
    serve(words[0], words[1], {.source = source, .nodes = looks ? words[3] : ""});
  } else {
    std::fputs(
        "usage: bare_plugin KUBELET_DIR RESOURCE uevents SUBSYSTEM PATTERN\n"
        "       bare_plugin KUBELET_DIR RESOURCE files DIRECTORY\n"
        "uevents-look and files-look: the same, and it looks at each\n",
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
