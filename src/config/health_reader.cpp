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

bool read_probe(const YamlNode& node, ProbeSpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, "health", diagnostics, "add a probe, such as {open: $(devnode)}");
  map.read_one(kProbeKeys, out, "probe");
  map.read(kOptionKeys, out.options);
  return map.finish();
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<ProbeSpec>& out,
                Diagnostics& diagnostics) {
  return read_items(
      list_items(node, info, diagnostics), out,
      [&](const YamlNode& item, ProbeSpec& probe) { return read_probe(item, probe, diagnostics); });
}

std::vector<BlockInfo> health_blocks() {
  return {{"health", key_infos(kProbeKeys, kOptionKeys)}, {"open", key_infos(kOpenKeys)}};
}

}  // namespace patchbay::config
