#include "bench/bare/sources.h"

#include <dirent.h>
#include <fnmatch.h>
#include <linux/netlink.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::bench {
namespace {

void fill_from(const std::string& directory, const std::string& pattern, Units& units,
               Chooser& chooser) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] == '.' || ::fnmatch(pattern.c_str(), entry->d_name, 0) != 0) continue;
    chooser.added({.name = entry->d_name, .path = directory + '/' + entry->d_name});
    units.add(entry->d_name);
  }
  chooser.decide();
}

class Devices final : public Source {
 public:
  Devices(const std::string& subsystem, std::string pattern, Chooser& chooser)
      : directory_("/sys/class/" + subsystem),
        subsystem_('\0' + ("SUBSYSTEM=" + subsystem) + '\0'),
        pattern_(std::move(pattern)),
        chooser_(chooser),
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
  void fill(Units& units) override { fill_from(directory_, pattern_, units, chooser_); }
  bool take(Units& units) override {
    std::array<char, 8192> message;
    bool changed = false;
    ssize_t size = 0;
    while ((size = ::recv(socket_.get(), message.data(), message.size(), 0)) > 0) {
      changed |= take({message.data(), static_cast<size_t>(size)}, units);
    }
    if (changed) chooser_.decide();
    return changed;
  }

 private:
  bool take(std::string_view message, Units& units) {
    if (message.find(subsystem_) == std::string_view::npos) return false;
    const std::string_view header = message.substr(0, message.find('\0'));
    const bool added = header.starts_with("add@");
    if (!added && !header.starts_with("remove@")) return false;
    const Entity entity{.name = std::string(header.substr(header.rfind('/') + 1)),
                        .path = "/sys" + std::string(header.substr(header.find('@') + 1)),
                        .uevent = message};
    if (::fnmatch(pattern_.c_str(), entity.name.c_str(), 0) != 0) return false;
    added ? chooser_.added(entity) : chooser_.removed(entity);
    added ? units.add(entity.name) : units.remove(entity.name);
    return true;
  }

  std::string directory_;
  std::string subsystem_;  ///< As in a uevent: "SUBSYSTEM=NAME".
  std::string pattern_;
  Chooser& chooser_;
  UniqueFd socket_;
};

class Files final : public Source {
 public:
  Files(std::string directory, Chooser& chooser)
      : directory_(std::move(directory)),
        chooser_(chooser),
        inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (::inotify_add_watch(inotify_.get(), directory_.c_str(), IN_CREATE | IN_DELETE) < 0) {
      throw std::runtime_error(directory_ + " cannot be watched");
    }
  }
  [[nodiscard]] int fd() const override { return inotify_.get(); }
  void fill(Units& units) override { fill_from(directory_, "*", units, chooser_); }
  bool take(Units& units) override {
    alignas(inotify_event) std::array<char, 4096> events;
    const ssize_t size = ::read(inotify_.get(), events.data(), events.size());
    for (ssize_t at = 0; at < size;) {
      const auto* event =
          reinterpret_cast<const inotify_event*>(&events.at(static_cast<size_t>(at)));
      const Entity entity{.name = event->name, .path = directory_ + '/' + event->name};
      if ((event->mask & IN_CREATE) != 0) {
        chooser_.added(entity);
        units.add(entity.name);
      }
      if ((event->mask & IN_DELETE) != 0) {
        chooser_.removed(entity);
        units.remove(entity.name);
      }
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    if (size > 0) chooser_.decide();
    return size > 0;
  }

 private:
  std::string directory_;
  Chooser& chooser_;
  UniqueFd inotify_;
};

}  // namespace

std::unique_ptr<Source> devices(const std::string& subsystem, const std::string& pattern,
                                Chooser& chooser) {
  return std::make_unique<Devices>(subsystem, pattern, chooser);
}

std::unique_ptr<Source> files(const std::string& directory, Chooser& chooser) {
  return std::make_unique<Files>(directory, chooser);
}

}  // namespace patchbay::bench
