#include "rpc/endpoint_name.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <memory>
#include <random>
#include <vector>

#include "base/text.h"
#include "rpc/unix_listener.h"

namespace patchbay::rpc {
namespace {

constexpr std::string_view kPrefix = "patchbay-";
constexpr std::string_view kSuffix = ".sock";
constexpr size_t kMaxSlug = 24;
constexpr size_t kHashDigits = 8;

std::string slug_of(std::string_view resource) {
  std::string slug(resource.substr(0, kMaxSlug));
  for (char& c : slug) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return slug;
}

std::string name_of_endpoint(std::string_view owner, std::string_view start_id, uint64_t n) {
  std::string name(kPrefix);
  name.append(owner).append("-").append(start_id).append("-").append(std::to_string(n));
  return name.append(kSuffix);
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

/// Whether a file name has one of the forms of an endpoint, of any instance.
bool is_endpoint_name(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

}  // namespace

std::string resource_file_name(std::string_view resource) {
  return slug_of(resource) + "-" + stable_hash_hex(resource, kHashDigits);
}

std::string endpoint_name(std::string_view resource, std::string_view start_id, uint64_t n) {
  return name_of_endpoint(resource_file_name(resource), start_id, n);
}

std::string short_endpoint_name(std::string_view name, std::string_view start_id, uint64_t n) {
  return name_of_endpoint(stable_hash_hex(name, kHashDigits), start_id, n);
}

std::string temporary_endpoint_name(std::string_view start_id, uint64_t n) {
  std::string name(".");
  name.append(kPrefix).append(start_id).append("-").append(std::to_string(n)).append(kSuffix);
  return name;
}

std::string make_start_id() {
  std::random_device random;
  return stable_hash_hex(std::to_string(random()) + std::to_string(random()), 8);
}

size_t remove_stale_endpoints(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  if (!entries) return 0;
  std::vector<std::string> candidates;
  while (const dirent* entry = readdir(entries.get())) {
    if (is_endpoint_name(entry->d_name)) candidates.push_back(directory + "/" + entry->d_name);
  }
  size_t removed = 0;
  for (const std::string& path : candidates) {
    if (is_socket(path) && !is_anyone_listening(path) && unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace patchbay::rpc
