#include "config/spec_reader.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "config/foreign_file.h"
#include "config/map_reader.h"
#include "config/part_readers.h"
#include "config/yaml_tree.h"

namespace patchbay::config {

template <>
inline constexpr ValueType kValueType<DefaultsSpec> = ValueType::defaults;
template <>
inline constexpr ValueType kValueType<std::vector<ResourceSpec>> = ValueType::resources;

bool read_value(const YamlNode& node, const KeyInfo& info, DefaultsSpec& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ResourceSpec>& out,
                Diagnostics& diagnostics);

namespace {

constexpr std::string_view kApiVersion = "patchbay/v1";
constexpr std::string_view kKind = "Config";

/// The fields that identify a configuration of Patchbay.
struct Header {
  Located<std::string> api_version;
  Located<std::string> kind;
};

constexpr std::array kHeaderKeys = {
    key<&Header::api_version>("apiVersion",
                              "The version of the configuration language: patchbay/v1.",
                              {.example = "patchbay/v1", .requirement = Requirement::required}),
    key<&Header::kind>("kind", "The kind of the file: Config.",
                       {.example = "Config", .requirement = Requirement::required})};

constexpr std::array kSpecKeys = {
    key<&Spec::defaults>("defaults", "Defaults for all resources of this file.",
                         {.example = "{domain: lab.example.com}"}),
    key<&Spec::dra>("dra", "The DRA driver that publishes the resources with serve: dra.",
                    {.example = "{driver: patchbay.lab.example.com}"}),
    key<&Spec::resources>("resources", "The resources that this node offers.",
                          {.example = "[{name: lab.example.com/kvm, match: {glob: /dev/kvm}}]",
                           .requirement = Requirement::required})};

constexpr std::array kDefaultsKeys = {
    key<&DefaultsSpec::domain>("domain",
                               "The domain of resource names that are written without one.",
                               {.example = "lab.example.com"}),
    key<&DefaultsSpec::linger>("linger",
                               "The time for which a lost unit stays listed as unhealthy.",
                               {.example = "1h30m", .default_value = "5m"})};

constexpr std::array kResourceKeys = {
    key<&ResourceSpec::name>(
        "name", "The resource's name, with or without a domain.",
        {.example = "lab.example.com/uart", .requirement = Requirement::required}),
    key<&ResourceSpec::description>("description", "A description of the resource, in one line.",
                                    {.example = "USB serial adapters on the bench"}),
    key<&ResourceSpec::when>("when", "The nodes on which the resource is offered.",
                             {.example = R"({node: "bench-*"})", .type = ValueType::when}),
    key<&ResourceSpec::claim>(
        "claim", "Whether other resources can use its devices, too: exclusive or shared.",
        {.example = "shared", .default_value = "exclusive"}),
    key<&ResourceSpec::linger>(
        "linger", "The time for which a lost unit stays listed as unhealthy.", {.example = "30s"}),
    key<&ResourceSpec::prefer>("prefer",
                               "The order in which a container gets free units: packed, spread, "
                               "numa or closest; the next one breaks ties.",
                               {.example = "[packed, closest]"}),
    key<&ResourceSpec::topology>(
        "topology", "Whether the units' NUMA nodes are reported to the kubelet: auto or none.",
        {.example = "none", .default_value = "auto"}),
    key<&ResourceSpec::device_info>("deviceInfo",
                                    "pci writes files with the units' PCI addresses for Multus.",
                                    {.example = "pci"}),
    key<&ResourceSpec::serve>("serve",
                              "The Kubernetes API that offers the units: devicePlugin or dra.",
                              {.example = "dra", .default_value = "devicePlugin"})};

void read_resource(const YamlNode& node, std::vector<ResourceSpec>& out, Diagnostics& diagnostics) {
  MapReader map(node, "resource", diagnostics);
  if (!map.usable()) return;
  ResourceSpec resource;
  resource.at = node.at;
  map.read(kResourceKeys, resource);
  map.require(kResourceKeys);
  read_groups(map, node.at, resource.groups, diagnostics);
  static_cast<void>(map.finish());
  out.push_back(std::move(resource));
}

/// Reports a file of another program. This is the only message then: its other keys are not
/// checked.
bool check_header(const Header& header, Diagnostics& diagnostics) {
  const size_t before = diagnostics.error_count();
  if (header.kind.at.source && header.kind.value == "ConfigMap") {
    diagnostics.error(header.kind.at, "this is a Kubernetes ConfigMap, not a configuration",
                      "the configuration is the text under one of the keys of its 'data'");
    return false;
  }
  if (header.api_version.at.source && header.api_version.value != kApiVersion) {
    diagnostics.error(
        header.api_version.at,
        fmt::format("unknown apiVersion '{}'", printable(header.api_version.value, kMaxShown)),
        fmt::format("write apiVersion: {}", kApiVersion));
  }
  if (header.kind.at.source && header.kind.value != kKind) {
    diagnostics.error(header.kind.at,
                      fmt::format("unknown kind '{}'", printable(header.kind.value, kMaxShown)),
                      fmt::format("write kind: {}", kKind));
  }
  return diagnostics.error_count() == before;
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, DefaultsSpec& out,
                Diagnostics& diagnostics) {
  MapReader map(node, info.name, diagnostics);
  map.read(kDefaultsKeys, out);
  return map.finish();
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ResourceSpec>& out,
                Diagnostics& diagnostics) {
  const size_t before = diagnostics.error_count();
  for (const YamlNode* item : filled_list(node, info, diagnostics).nodes) {
    read_resource(*item, out, diagnostics);
  }
  return diagnostics.error_count() == before;
}

Spec read_spec(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics) {
  Spec spec;
  const auto root = parse_yaml(source, diagnostics);
  if (!root) return spec;
  if (const auto file = recognise_file(*root)) {
    diagnostics.error(root->at,
                      fmt::format("this is {}, not a configuration of Patchbay", file->what),
                      file->hint);
    return spec;
  }
  if (root->kind != YamlNode::Kind::mapping) {
    diagnostics.error(root->at,
                      fmt::format("expected a configuration, got {}", kind_name(root->kind)),
                      "begin it with apiVersion: patchbay/v1 and kind: Config");
    return spec;
  }
  MapReader map(*root, "config", diagnostics);
  Header header;
  map.read(kHeaderKeys, header);
  if (!check_header(header, diagnostics)) return spec;
  map.require(kHeaderKeys);
  map.read(kSpecKeys, spec);
  map.require(kSpecKeys);
  static_cast<void>(map.finish());
  return spec;
}

std::span<const BlockInfo> language() {
  static const std::vector<BlockInfo> blocks = [] {
    std::vector<BlockInfo> all{{"config", key_infos(kHeaderKeys, kSpecKeys)},
                               {"defaults", key_infos(kDefaultsKeys)},
                               {"resource", key_infos(kResourceKeys)}};
    all.back().keys.push_back(groups_key());
    for (auto& block : group_blocks()) all.push_back(std::move(block));
    for (auto& block : unit_blocks()) all.push_back(std::move(block));
    for (auto& block : match_blocks()) all.push_back(std::move(block));
    for (auto& block : health_blocks()) all.push_back(std::move(block));
    for (auto& block : step_blocks()) all.push_back(std::move(block));
    for (auto& block : dra_blocks()) all.push_back(std::move(block));
    all.push_back(when_block());
    return all;
  }();
  return blocks;
}

std::vector<std::string_view> key_names(std::string_view block) {
  std::vector<std::string_view> names;
  for (const BlockInfo& known : language()) {
    if (known.name != block) continue;
    for (const KeyInfo& key : known.keys) names.push_back(key.name);
  }
  return names;
}

}  // namespace patchbay::config
