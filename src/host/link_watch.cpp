#include "host/link_watch.h"

#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "host/facts/device_list.h"
#include "host/facts/lineage.h"
#include "host/facts/sysfs_files.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

/// Bounds one loop iteration. The rest is reported in the next one.
constexpr int kReadsPerTurn = 64;

constexpr unsigned kFlags = IFF_UP | IFF_RUNNING | IFF_LOWER_UP | IFF_DORMANT;
constexpr unsigned kUnknown = 256;  ///< For a byte that the message lacks.

Result<UniqueFd> open_socket() {
  UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd) return fail_errno("cannot open rtnetlink", errno);
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno("cannot join rtnetlink's group of links", errno);
  }
  return fd;
}

/// The changed interfaces; the affected devices are found on a work thread.
struct Changed {
  std::map<uint32_t, std::string> links;
  bool all = false;
  std::vector<std::string> interfaces;  ///< Syspaths.
  std::set<std::string> above;

  bool refused = false;  ///< Resources were exhausted: some may be missing.

  void find() {
    const paths::ResourceExhaustion exhaustion;
    const DeviceTree tree;
    if (all) interfaces = list_kernel_devices(tree, {"net"});
    for (const auto& [index, name] : links) {
      auto syspath = canonical_device(tree, "/sys/class/net/" + name);
      // /sys may belong to another namespace, and the name may belong to another interface by now.
      const auto uevent = syspath ? read_uevent_file(tree.files, *syspath) : std::nullopt;
      if (uevent && uevent->ifindex == index) interfaces.push_back(*std::move(syspath));
    }
    for (const std::string& interface : interfaces) {
      for (const DeviceDirectory& directory : lineage(tree, interface)) {
        if (directory.path != interface) above.insert(directory.path);
      }
    }
    refused = exhaustion.error() != 0;
  }
};

}  // namespace

void LinkWatch::start() {
  auto opened = open_socket();
  const std::string name = "changes of network links";
  if (!opened && paths::ResourceExhaustion::is_exhaustion(opened.error().number)) {
    unresponsive_.source_refused(name, opened.error().number, [this] {
      start();
      if (socket_) rescans_.rescan("rtnetlink is available again");
    });
    return;
  }
  unresponsive_.source_opened(name);
  if (!opened) {
    log::info({"rtnetlink unavailable: link changes are detected by rescans only",
               log::EventKind::degraded},
              {{"reason", opened.error().message}});
    return;
  }
  socket_ = *std::move(opened);
  reading_ = loop_.watch_readable(socket_.get(), [this](loop::FdEvent event) { receive(event); });
}

void LinkWatch::receive(loop::FdEvent event) {
  bool lost = event == loop::FdEvent::error;
  alignas(nlmsghdr) std::array<char, 32768> buffer;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    sockaddr_nl from{};
    socklen_t length = sizeof from;
    const ssize_t size = ::recvfrom(socket_.get(), buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 0 && errno == ENOBUFS) lost = true;
    if (size < 0 && (errno == ENOBUFS || errno == EINTR)) continue;
    if (size <= 0) break;
    // Any process may write to this socket; only the kernel's id is 0.
    if (from.nl_pid == 0) on_messages(buffer.data(), static_cast<size_t>(size));
  }
  if (lost) {
    ++counts_.overflows;
    links_.clear();
    all_changed_ = true;
  }
  schedule_refresh();
}

void LinkWatch::on_messages(const char* data, size_t size) {
  while (size >= sizeof(nlmsghdr)) {
    nlmsghdr header{};
    std::memcpy(&header, data, sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > size) return;
    const bool link = header.nlmsg_type == RTM_NEWLINK || header.nlmsg_type == RTM_DELLINK;
    if (link && header.nlmsg_len >= NLMSG_LENGTH(sizeof(ifinfomsg))) {
      if (header.nlmsg_type == RTM_NEWLINK) {
        on_link(data + NLMSG_HDRLEN, header.nlmsg_len - NLMSG_HDRLEN);
      } else {
        ifinfomsg info{};
        std::memcpy(&info, data + NLMSG_HDRLEN, sizeof info);
        // Bridges send the same message for a port that has left.
        if (info.ifi_family == AF_UNSPEC) links_.erase(static_cast<uint32_t>(info.ifi_index));
      }
    }
    const size_t step = std::min<size_t>(NLMSG_ALIGN(header.nlmsg_len), size);
    data += step;
    size -= step;
  }
}

void LinkWatch::on_link(const char* message, size_t size) {
  ++counts_.links;
  ifinfomsg info{};
  std::memcpy(&info, message, sizeof info);
  std::string name;
  unsigned state = kUnknown;
  unsigned carrier = kUnknown;
  for (size_t at = NLMSG_ALIGN(sizeof info); at + sizeof(rtattr) <= size;) {
    rtattr attribute{};
    std::memcpy(&attribute, message + at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > size) break;
    const char* value = message + at + RTA_LENGTH(0);
    const size_t length = attribute.rta_len - RTA_LENGTH(0);
    if (attribute.rta_type == IFLA_IFNAME) name.assign(value, ::strnlen(value, length));
    if (attribute.rta_type == IFLA_OPERSTATE && length > 0) {
      state = static_cast<unsigned char>(*value);
    }
    if (attribute.rta_type == IFLA_CARRIER && length > 0) {
      carrier = static_cast<unsigned char>(*value);
    }
    at += RTA_ALIGN(attribute.rta_len);
  }
  // Messages of bridges about their ports contain fewer fields.
  if (info.ifi_family != AF_UNSPEC || name.empty()) return;
  const auto index = static_cast<uint32_t>(info.ifi_index);
  const LinkState now{info.ifi_flags & kFlags, state, carrier};
  const auto [known, is_new] = links_.try_emplace(index, now);
  if (!is_new && std::exchange(known->second, now) == now) return;
  changed_[index] = std::move(name);
}

void LinkWatch::schedule_refresh() {
  if (refresh_scheduled_ || (changed_.empty() && !all_changed_)) return;
  refresh_scheduled_ = true;
  const auto changed = std::make_shared<Changed>();
  changed->links = std::exchange(changed_, {});
  changed->all = std::exchange(all_changed_, false);
  loop_.work([changed] { changed->find(); }, weak_self_.guard([changed](LinkWatch& watch) {
    watch.refresh_scheduled_ = false;
    // The rescan waits until resources are available.
    if (changed->refused) watch.rescans_.rescan("network links cannot be read");
    for (const std::string& interface : changed->interfaces) {
      watch.hints_.refresh_if_known(interface);
      watch.hints_.refresh_around(interface);
    }
    for (const std::string& above : changed->above) watch.hints_.refresh_if_known(above);
    watch.schedule_refresh();
  }));
}

}  // namespace patchbay::host
