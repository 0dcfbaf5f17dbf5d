#include "host/glob_paths.h"

#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

namespace patchbay::host {
namespace {

/// Without functions given, glibc's glob calls its own opendir and lstat directly, past whatever is
/// preloaded to replay recorded hardware.
void use_public_functions(glob_t& found) {
  found.gl_opendir = [](const char* path) -> void* { return ::opendir(path); };
  found.gl_readdir = [](void* dir) { return ::readdir(static_cast<DIR*>(dir)); };
  found.gl_closedir = [](void* dir) { ::closedir(static_cast<DIR*>(dir)); };
  found.gl_stat = [](const char* path, struct stat* status) { return ::stat(path, status); };
  found.gl_lstat = [](const char* path, struct stat* status) { return ::lstat(path, status); };
}

}  // namespace

std::vector<std::string> glob_paths(const std::string& pattern) {
  glob_t found{};
  use_public_functions(found);
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ALTDIRFUNC, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

std::string escape_glob(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

bool has_wildcard(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '*' || text[i] == '?' || text[i] == '[') {
      return true;
    }
  }
  return false;
}

}  // namespace patchbay::host
