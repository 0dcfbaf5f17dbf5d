#include <array>
#include <string_view>

#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::array kOpenKeys = {
    key<&ProbeSpec::text>("path", "The device node or file.",
                          {.example = "$(devnode)", .requirement = Requirement::required}),
    key<&ProbeSpec::mode>("mode", "The access mode: r, w or rw.",
                          {.example = "rw", .default_value = "r"})};

bool read_open(const YamlNode& node, const KeyInfo& info, ProbeSpec& out,
               Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::scalar) return read_value(node, info, out.text, diagnostics);
  if (node.kind == YamlNode::Kind::sequence) {
    return report_type(node, "text or a mapping", info.name, diagnostics,
                       "write one path; write each further path as a separate item");
  }
  MapReader map(node, "open", diagnostics);
  map.read(kOpenKeys, out);
  map.require(kOpenKeys);
  return map.finish();
}

/// The probe keys. An item has exactly one of them.
constexpr std::array kProbeKeys = {
    KeyReader<ProbeSpec>{.info = {.name = word_of(Check::Kind::open),
                                  .about = "A device node or file can be opened.",
                                  .example = "$(devnode)",
                                  .type = ValueType::open},
                         .read = read_open,
                         .copy = nullptr},
    key<&ProbeSpec::conditions>(word_of(Check::Kind::attributes),
                                "Conditions on files in /sys below the matched device, by path.",
                                {.example = R"({net/*/carrier: ["1", {exists: false}]})"}),
    key<&ProbeSpec::conditions>(word_of(Check::Kind::properties),
                                "Conditions on the matched device's udev properties, by name.",
                                {.example = R"({ID_V4L_CAPABILITIES: "*:capture:*"})"}),
    key<&ProbeSpec::conditions>(
        word_of(Check::Kind::files),
        "Conditions on files of the host, by path; the path may contain $(…).",
        {.example = R"({/proc/devices: "* onload*"})"}),
    key<&ProbeSpec::arguments>(
        word_of(Check::Kind::exec),
        "A program and its arguments, without a shell: exit status 0 is healthy.",
        {.example = "[/probes/scope.sh, $(devnode)]",
         .empty = Empty::allowed,
         .type = ValueType::arguments}),
    key<&ProbeSpec::text>(word_of(Check::Kind::tcp), "A connection to HOST:PORT is accepted.",
                          {.example = R"("$(name):5025")"})};

constexpr std::array kOptionKeys = {
    key<&ProbeOptionsSpec::period>("period", "The time from one run to the next.",
                                   {.example = "30s", .default_value = "10s"}),
    key<&ProbeOptionsSpec::timeout>("timeout", "The time limit of a run.",
                                    {.example = "5s", .default_value = "2s"}),
    key<&ProbeOptionsSpec::failure_threshold>(
        "failureThreshold", "The number of consecutive failures that make the unit unhealthy.",
        {.example = "1", .default_value = "3", .type = ValueType::number}),
    key<&ProbeOptionsSpec::success_threshold>(
        "successThreshold", "The number of consecutive successes that make it healthy again.",
        {.example = "5", .default_value = "1", .type = ValueType::number})};

constexpr std::array kMoreOptionKeys = {key<&ProbeSpec::initial>(
    "initial", "The unit's health until the probe has a result: healthy or unhealthy.",
    {.example = "unhealthy", .default_value = "healthy"})};

constexpr std::array kFlapKeys = {
    key<&FlapSpec::changes>(
        "changes", "The number of health changes that starts the damping.",
        {.example = "6", .requirement = Requirement::required, .type = ValueType::number}),
    key<&FlapSpec::within>("within", "The time window in which changes are counted.",
                           {.example = "10m", .requirement = Requirement::required}),
    key<&FlapSpec::hold>("hold", "The time that the unit then stays unhealthy.",
                         {.example = "1h", .requirement = Requirement::required})};

bool read_probe(const YamlNode& node, ProbeSpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, "health", diagnostics, "add a probe, such as {open: $(devnode)}");
  map.read_one(kProbeKeys, out, "probe");
  map.read(kOptionKeys, out.options);
  map.read(kMoreOptionKeys, out);
  return map.finish();
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ProbeSpec>& out,
                Diagnostics& diagnostics) {
  return read_items(
      list_items(node, info, diagnostics), out,
      [&](const YamlNode& item, ProbeSpec& probe) { return read_probe(item, probe, diagnostics); });
}

bool read_value(const YamlNode& node, const KeyInfo& info, FlapSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind != YamlNode::Kind::mapping) return report_no_mapping(node, info, diagnostics);
  MapReader map(node, info.name, diagnostics);
  map.read(kFlapKeys, out);
  map.require(kFlapKeys);
  return map.finish();
}

std::vector<BlockInfo> health_blocks() {
  return {{"health", key_infos(kProbeKeys, kOptionKeys, kMoreOptionKeys)},
          {"open", key_infos(kOpenKeys)},
          {"flap", key_infos(kFlapKeys)}};
}

}  // namespace patchbay::config
