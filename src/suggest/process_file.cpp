#include "suggest/process_file.h"

#include <utility>

namespace patchbay::suggest {
namespace {

/// A node with hundreds of Pods has thousands of mounts.
constexpr size_t kMostBytes = size_t{16} << 20U;

}  // namespace

std::string read_process_file(const paths::HostRoot& root, const std::string& name) {
  for (const char* directory : {"/proc/1/", "/proc/self/"}) {
    auto text = root.read_file(directory + name, kMostBytes);
    if (text && !text->empty()) return *std::move(text);
  }
  return {};
}

}  // namespace patchbay::suggest
