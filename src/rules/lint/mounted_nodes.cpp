#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "rules/lint/text_advice.h"

namespace patchbay::rules {
namespace {

/// Paths below /dev without device nodes of hardware.
constexpr std::array<std::string_view, 5> kNoNodes{"/dev/hugepages", "/dev/log", "/dev/mqueue",
                                                   "/dev/pts", "/dev/shm"};

bool is_in(std::string_view path, std::string_view directory) {
  if (!path.starts_with(directory)) return false;
  const std::string_view rest = path.substr(directory.size());
  return rest.empty() || rest.front() == '/';
}

}  // namespace

std::optional<Advice> mounted_nodes(std::string_view path) {
  const auto contains_it = [&](std::string_view directory) { return path.starts_with(directory); };
  if (!is_in(path, "/dev") || std::ranges::any_of(kNoNodes, contains_it)) return std::nullopt;
  return Advice{
      .message = fmt::format("a mount of '{}' shows device nodes that the container cannot open "
                             "(the device cgroup allows only nodes of devices:)",
                             path),
      .hint =
          "list each node in devices:; only a privileged container can open a node that appears "
          "while it runs"};
}

}  // namespace patchbay::rules
