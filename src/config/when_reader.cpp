#include "config/when_reader.h"

#include <array>

namespace patchbay::config {
namespace {

constexpr std::array kWhenKeys = {
    key<&NodeConditionSpec::node>("node", "The node's name.", {.example = R"("bench-*")"}),
    key<&NodeConditionSpec::glob>("glob", "Patterns of paths of the host: each finds something.",
                                  {.example = "/dev/nvidia*"}),
    key<&NodeConditionSpec::file>("file", "What files of the host hold, by their path.",
                                  {.example = R"({/proc/device-tree/model: "Raspberry Pi 5*"})"}),
    key<&NodeConditionSpec::env>("env", "Environment variables of the daemon, by their name.",
                                 {.example = R"({POOL: "gpu*"})"}),
    key<&NodeConditionSpec::any>("any", "One of these blocks holds.",
                                 {.example = R"([{node: "bench-*"}, {glob: /etc/bench}])"}),
    key<&NodeConditionSpec::except>("except", "None of these blocks holds.",
                                    {.example = "{node: [bench-7, bench-9]}"})};

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, NodeConditionSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind != YamlNode::Kind::mapping) {
    return report_type(node, "a mapping", info.name, diagnostics,
                       "to go by the node's name, write {node: NAME}");
  }
  MapReader map(node, "when", diagnostics);
  map.read(kWhenKeys, out);
  return map.finish();
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<NodeConditionSpec>& out,
                Diagnostics& diagnostics) {
  Values values = block_items(node, info, diagnostics);
  for (const YamlNode* item : values.nodes) {
    NodeConditionSpec block;
    values.ok = read_value(*item, info, block, diagnostics) && values.ok;
    out.push_back(std::move(block));
  }
  return values.ok;
}

BlockInfo when_block() { return {"when", key_infos(kWhenKeys)}; }

}  // namespace patchbay::config
