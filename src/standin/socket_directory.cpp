#include "standin/socket_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/unix_address.h"

namespace patchbay::standin {

Result<void> make_directory(const std::string& directory) {
  std::error_code error;
  const auto parent = std::filesystem::path(directory).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) return fail_errno("cannot create directory " + parent.string(), error.value());
  if (::mkdir(directory.c_str(), 0750) != 0 && errno != EEXIST) {
    return fail_errno("cannot create directory " + directory, errno);
  }
  return {};
}

Result<std::vector<std::string>> sockets_in(const std::string& directory) {
  const auto close_directory = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close_directory)> stream(::opendir(directory.c_str()),
                                                               close_directory);
  if (!stream) return fail_errno("cannot read directory " + directory, errno);
  std::vector<std::string> found;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name(static_cast<const char*>(entry->d_name));
    struct stat status {};
    if (::fstatat(::dirfd(stream.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISSOCK(status.st_mode)) found.push_back(directory + "/" + name);
  }
  return found;
}

Result<void> delete_sockets(const std::string& directory) {
  const auto sockets = sockets_in(directory);
  if (!sockets) return std::unexpected(sockets.error());
  for (const std::string& path : *sockets) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return fail_errno("cannot delete " + path, errno);
    }
  }
  return {};
}

Result<UniqueFd> listen_at(const std::string& path) {
  const auto address = UnixAddress::of(path);
  if (!address) return std::unexpected(address.error());
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) return fail_errno("cannot create a socket", errno);
  if (::bind(listener.get(), address->get(), UnixAddress::size()) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return fail_errno("cannot listen at " + path, errno);
  }
  return listener;
}

}  // namespace patchbay::standin
