#include "cli/commands/standalone.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "base/unix_address.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "rpc/endpoint_name.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {
namespace {

/// The length of the longest possible socket name in the directory.
size_t longest_name(const rules::Plan& plan) {
  size_t longest = std::string_view("kubelet.sock").size();
  for (const rules::ResourcePlanPtr& resource : plan.resources) {
    longest = std::max(longest, rpc::endpoint_name(resource->name, "00000000", 99'999).size());
  }
  return longest;
}

/// Returns an Error if sockets with names of that length would have too long a path.
Result<FreshDirectory> make_directory(size_t longest_name) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error)
    return fail_errno("cannot use the directory for temporary files ($TMPDIR)", error.value());
  std::string path = parent / "pb-XXXXXX";
  if (path.size() + 1 + longest_name > kMaxSocketPath) {
    return fail("the path of sockets in " + shown(path) +
                " would be too long; set TMPDIR to a directory with a short path");
  }
  if (mkdtemp(path.data()) == nullptr) {
    return fail_errno("cannot create a directory in " + shown(parent.native()), errno);
  }
  return FreshDirectory(new std::string(std::move(path)));
}

}  // namespace

void RemoveDirectory::operator()(const std::string* path) const {
  std::error_code ignored;
  std::filesystem::remove_all(*path, ignored);
  delete path;
}

Result<std::unique_ptr<Standalone>> Standalone::start(const rules::Plan& plan) {
  auto directory = make_directory(longest_name(plan));
  if (!directory) return std::unexpected(std::move(directory).error());
  queue_output();
  std::unique_ptr<Standalone> standalone(new Standalone(*std::move(directory)));
  auto kubelet = standin::Kubelet::start(
      standalone->directory(),
      {.listed = [&lists = standalone->lists_](
                     const auto& resource,
                     const auto& devices) { print(lists.changed(resource, devices)); },
       .ended = [&lists = standalone->lists_](const auto& resource) { lists.ended(resource); }});
  if (!kubelet) return std::unexpected(std::move(kubelet).error());
  standalone->kubelet_ = *std::move(kubelet);
  return standalone;
}

}  // namespace patchbay::cli
