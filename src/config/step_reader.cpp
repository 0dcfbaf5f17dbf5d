#include <array>

#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::array kWriteKeys = {
    key<&StepSpec::path>("path", "The file of the host.",
                         {.example = "/sys/bus/usb/devices/$(name)/authorized",
                          .requirement = Requirement::required}),
    key<&StepSpec::value>("value", "The text that is written to the file.",
                          {.example = "1", .requirement = Requirement::required})};

constexpr std::array kWaitKeys = {
    key<&StepSpec::path>("path", "The path that must exist.",
                         {.example = "$(devnode)", .requirement = Requirement::required}),
    key<&StepSpec::wait_for>("for", "The time limit.", {.example = "5s", .default_value = "2s"})};

/// Reads the block with the key's name.
template <const auto& Keys>
bool read_block(const YamlNode& node, const KeyInfo& info, StepSpec& out,
                Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::mapping) return report_no_mapping(node, info, diagnostics);
  MapReader map(node, info.name, diagnostics);
  map.read(Keys, out);
  map.require(Keys);
  return map.finish();
}

/// The step keys. An item has exactly one of them.
constexpr std::array kStepKeys = {
    key<&StepSpec::arguments>(
        word_of(Step::Kind::exec),
        "Runs a program with its arguments, without a shell; it must exit with status 0.",
        {.example = "[/hooks/power-on.sh, $(usb.socket)]",
         .empty = Empty::allowed,
         .type = ValueType::arguments}),
    KeyReader<StepSpec>{.info = {.name = word_of(Step::Kind::write),
                                 .about = "Writes a value into a file of the host.",
                                 .example = "{path: $(syspath)/power/control, value: \"on\"}",
                                 .type = ValueType::write},
                        .read = read_block<kWriteKeys>,
                        .copy = nullptr},
    key<&StepSpec::usb_reset>(word_of(Step::Kind::usb_reset),
                              "Resets the USB device of each matched device.", {.example = "true"}),
    KeyReader<StepSpec>{.info = {.name = word_of(Step::Kind::wait),
                                 .about = "Waits until a path exists.",
                                 .example = "{path: $(devnode), for: 5s}",
                                 .type = ValueType::wait},
                        .read = read_block<kWaitKeys>,
                        .copy = nullptr}};

bool read_step(const YamlNode& node, StepSpec& out, Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, "step", diagnostics, "add a step, such as {usbReset: true}");
  map.read_one(kStepKeys, out, "step");
  return map.finish();
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<StepSpec>& out,
                Diagnostics& diagnostics) {
  return read_items(
      list_items(node, info, diagnostics), out,
      [&](const YamlNode& item, StepSpec& step) { return read_step(item, step, diagnostics); });
}

std::vector<BlockInfo> step_blocks() {
  return {{"step", key_infos(kStepKeys)},
          {"write", key_infos(kWriteKeys)},
          {"wait", key_infos(kWaitKeys)}};
}

}  // namespace patchbay::config
