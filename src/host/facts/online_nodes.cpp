#include "host/facts/online_nodes.h"

#include <optional>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::host {
namespace {

/// Far above the kernel's limit.
constexpr int kMostNodes = 65'536;

std::optional<int> parse_number(std::string_view text) {
  const auto number = parse_whole<int>(text);
  return number && *number >= 0 && *number < kMostNodes ? number : std::nullopt;
}

}  // namespace

std::set<int> parse_node_list(std::string_view text) {
  std::set<int> nodes;
  for (const std::string_view range : split(text, ',')) {
    const size_t dash = range.find('-');
    const auto first = parse_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last) return {};
    for (int node = *first; node <= *last; ++node) nodes.insert(node);
  }
  return nodes;
}

std::set<int> read_online_nodes(const DeviceTree& tree) {
  const auto text = tree.files.read_file(tree.top + "/system/node/online");
  return text ? parse_node_list(*text) : std::set<int>{};
}

}  // namespace patchbay::host
