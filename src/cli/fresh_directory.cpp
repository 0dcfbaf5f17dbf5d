#include "cli/fresh_directory.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "serve/unix_listener.h"

namespace patchbay::cli {
namespace {

std::string shown(const std::string& path) { return printable(path, 1000); }

}  // namespace

Result<FreshDirectory> FreshDirectory::make(size_t longest_name) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) return fail_errno("no directory for temporary files, see $TMPDIR", error.value());
  std::string path = parent / "pb-XXXXXX";
  if (path.size() + 1 + longest_name > serve::kMaxSocketPath) {
    return fail("the path of sockets in " + shown(path) +
                " would be too long; set TMPDIR to a directory with a short path");
  }
  if (mkdtemp(path.data()) == nullptr) {
    return fail_errno("cannot make a directory in " + shown(parent), errno);
  }
  return FreshDirectory(std::move(path));
}

FreshDirectory::FreshDirectory(FreshDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

FreshDirectory::~FreshDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace patchbay::cli
