#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::string_view kHint =
    "cdi: write, without brackets, or a list of names: [\"vendor.com/class=device\"]";

/// `write` is valid only outside of a list. In a list it would be the name of a CDI device.
bool check_names(const CdiSpec& spec, Diagnostics& diagnostics) {
  bool ok = true;
  for (const auto& name : spec.names) {
    if (name.value != "write") continue;
    ok = false;
    diagnostics.error(name.at, "'write' in a list of CDI devices", std::string(kHint));
  }
  return ok;
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, CdiSpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind == YamlNode::Kind::sequence) {
    const bool ok = read_value(node, info, out.names, diagnostics);
    return check_names(out, diagnostics) && ok;
  }
  if (node.kind != YamlNode::Kind::scalar) {
    return report_type(node, "write or a list", info.name, diagnostics, std::string(kHint));
  }
  out.write = node.text == "write";
  if (out.write) return true;
  // A single device name is often written without the brackets of the list.
  const bool name = node.text.find('=') != std::string::npos;
  diagnostics.error(node.at,
                    name ? fmt::format("'{}' is not in a list", printable(node.text, kMaxShown))
                         : fmt::format("unknown cdi '{}'", printable(node.text, kMaxShown)),
                    std::string(kHint));
  return false;
}

}  // namespace patchbay::config
