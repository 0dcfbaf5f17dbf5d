#include "fake/connection_cut.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

namespace patchbay::fake {
namespace {

/// The first bytes of the head of an HTTP/2 frame with 16 KiB of data.
constexpr std::array<char, 6> kHalfAHead = {0, 0x40, 0, 0, 1, 0};

using NameOf = int (*)(int, sockaddr*, socklen_t*);

bool is_below(const std::string& directory, int fd, NameOf name_of) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (name_of(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  return address.sun_family == AF_UNIX &&
         std::string(&address.sun_path[0]).starts_with(directory + '/');
}

bool is_connected(int fd) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
}

std::vector<int> descriptors() {
  std::vector<int> all;
  std::error_code gone;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", gone), end; entry != end;
       entry.increment(gone)) {
    const std::string name = entry->path().filename();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    all.push_back(fd);
  }
  return all;
}

}  // namespace

size_t cut_connections(const std::string& directory, Cut cut) {
  size_t count = 0;
  for (const int fd : descriptors()) {
    if (!is_connected(fd)) continue;
    if (!is_below(directory, fd, getpeername) && !is_below(directory, fd, getsockname)) continue;
    if (cut == Cut::within_a_frame) {
      send(fd, kHalfAHead.data(), kHalfAHead.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (shutdown(fd, SHUT_RDWR) == 0) ++count;
  }
  return count;
}

}  // namespace patchbay::fake
