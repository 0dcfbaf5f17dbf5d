#include "config/cdi_reader.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::config {
namespace {

constexpr size_t kMaxShown = 60;
constexpr std::string_view kHint = "cdi: write, or a list of names: [\"vendor.com/class=device\"]";

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, CdiSpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind == YamlNode::Kind::sequence) return read_value(node, info, out.names, diagnostics);
  if (node.kind != YamlNode::Kind::scalar) {
    return report_type(node, "write or a list", info.name, diagnostics, std::string(kHint));
  }
  out.write = node.text == "write";
  if (out.write) return true;
  // Whoever names one device easily forgets that it is a list.
  const bool name = node.text.find('=') != std::string::npos;
  diagnostics.error(node.at,
                    name ? fmt::format("'{}' is not in a list", printable(node.text, kMaxShown))
                         : fmt::format("unknown cdi '{}'", printable(node.text, kMaxShown)),
                    std::string(kHint));
  return false;
}

}  // namespace patchbay::config
