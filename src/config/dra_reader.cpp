#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::array kDriverKeys = {
    key<&DraSpec::driver>(
        "driver", "The name of the DRA driver, which is part of each selector.",
        {.example = "patchbay.lab.example.com", .requirement = Requirement::required}),
    key<&DraSpec::release_timeout>(
        "releaseTimeout", "The time after which a Pod ends although a step of release fails.",
        {.example = "1m", .default_value = "5m"})};

constexpr std::array kGroupDraKeys = {key<&GroupDraSpec::attributes>(
    "attributes", "The attributes of each device, by name.",
    {.example = "{serial: $(usb.serial), speed: {int: $(attribute.speed)}}"})};

/// The value of an attribute that is no text.
struct TypedValue {
  Located<AttributeType> kind;
  Located<std::string> text;
};

/// The types. A value has exactly one of them.
constexpr std::array kTypeKeys = {
    key<&TypedValue::text>(word_of(AttributeType::integer), "A whole number of 64 bits.",
                           {.example = "$(attribute.speed)"}),
    key<&TypedValue::text>(word_of(AttributeType::boolean), "One of true, 1, false and 0.",
                           {.example = "$(property.LAB_READY)"}),
    key<&TypedValue::text>(word_of(AttributeType::version), "A semantic version, such as 1.2.0.",
                           {.example = "$(capture.version)"})};

bool read_attribute(const YamlNode& node, const KeyInfo& info, AttributeSpec& out,
                    Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::scalar) return read_value(node, info, out.value, diagnostics);
  if (node.kind == YamlNode::Kind::sequence) {
    return report_type(node, "text or a mapping", info.name, diagnostics,
                       "an attribute has one value: write one text, or for example {int: 4}");
  }
  if (node.entries.size() > 1) {
    diagnostics.error(node.entries[1].key.at,
                      fmt::format("'{}' beside '{}' in one attribute",
                                  printable(node.entries[1].key.value, kMaxShown),
                                  printable(node.entries[0].key.value, kMaxShown)),
                      "an attribute has one value of one type: remove the other one");
    return false;
  }
  TypedValue typed;
  MapReader map(node, "dra.attribute", diagnostics);
  map.read_one(kTypeKeys, typed, "type");
  if (!map.finish()) return false;
  out.type = typed.kind.value;
  out.value = std::move(typed.text);
  return true;
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, std::optional<DraSpec>& out,
                Diagnostics& diagnostics) {
  MapReader map(node, info.name, diagnostics);
  map.read(kDriverKeys, out.emplace());
  map.require(kDriverKeys);
  return map.finish();
}

bool read_value(const YamlNode& node, const KeyInfo& /*info*/, GroupDraSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  MapReader map(node, "resource.dra", diagnostics);
  map.read(kGroupDraKeys, out);
  return map.finish();
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<AttributeSpec>& out,
                Diagnostics& diagnostics) {
  const auto read_entry = [&](const YamlEntry& entry, const KeyInfo& named) {
    AttributeSpec attribute{.name = entry.key, .value = {}};
    if (!read_attribute(entry.value, named, attribute, diagnostics)) return false;
    out.push_back(std::move(attribute));
    return true;
  };
  return read_named(node, info, Empty::refused, diagnostics, read_entry);
}

std::vector<BlockInfo> dra_blocks() {
  return {{"dra", key_infos(kDriverKeys)},
          {"resource.dra", key_infos(kGroupDraKeys)},
          {"dra.attribute", key_infos(kTypeKeys)}};
}

}  // namespace patchbay::config
