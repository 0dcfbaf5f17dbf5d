#include "fake/socket_directory.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

namespace patchbay::fake {

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

}  // namespace patchbay::fake
