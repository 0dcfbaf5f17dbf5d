#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "config/part_readers.h"

namespace patchbay::config {
namespace {

constexpr std::array kMemberKeys = {
    key<&MemberSpec::match>(
        "match", "The devices that join units.",
        {.example = "{subsystem: infiniband_verbs}", .requirement = Requirement::required}),
    key<&MemberSpec::by>("by",
                         "A template whose text must equal the unit's. Default: the group's by.",
                         {.example = "$(ancestor.pci.name)"}),
    key<&MemberSpec::size>("size", "The number of these devices in a unit.",
                           {.example = "1", .default_value = "1+", .type = ValueType::size}),
    key<&MemberSpec::claim>("claim",
                            "Whether other units can use these devices, too: exclusive or shared.",
                            {.example = "shared", .default_value = "exclusive"})};

constexpr std::array kCountKey = {key<&ShareSpec::count>(
    "count", "The number of shares of a unit.", {.example = "4", .type = ValueType::number})};

/// `total` and `each` need each other.
constexpr std::array kSizeKeys = {
    key<&ShareSpec::total>(
        "total", "The size of a unit, such as bytes of memory. Needs each.",
        {.example = "$(attribute.mem_info_vram_total)", .type = ValueType::number}),
    key<&ShareSpec::each>("each", "The size of one share, in the unit of total.",
                          {.example = "1Gi", .type = ValueType::number})};

constexpr std::array kPerContainerKey = {key<&ShareSpec::per_container>(
    "perContainer", "The largest number of shares of one unit that a container can get.",
    {.example = "1", .type = ValueType::number})};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_member_name(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool check_name(const YamlEntry& entry, const KeyInfo& info, Diagnostics& diagnostics) {
  if (report_empty_name(entry, info, diagnostics)) return false;
  if (is_member_name(entry.key.value)) return true;
  diagnostics.error(
      entry.key.at,
      fmt::format("bad name '{}' for a member", printable(entry.key.value, kMaxShown)),
      "it begins variables such as $(NAME.devnode): write a letter, then letters, digits, _ and -");
  return false;
}

bool read_member(const YamlEntry& entry, MemberSpec& out, Diagnostics& diagnostics) {
  const KeyInfo named{.name = entry.key.value, .about = {}};
  if (report_empty(entry.value, named, diagnostics)) return false;
  if (entry.value.kind != YamlNode::Kind::mapping) {
    return report_type(entry.value, "a mapping", named.name, diagnostics,
                       "give each member a match: {match: {…}}");
  }
  MapReader map(entry.value, "member", diagnostics);
  map.read(kMemberKeys, out);
  map.require(kMemberKeys);
  return map.finish();
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<MemberSpec>& out,
                Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::mapping) {
    return report_type(node, "a mapping (name: member)", info.name, diagnostics);
  }
  if (report_empty_mapping(node, info, diagnostics)) return false;
  bool ok = true;
  for (const YamlEntry& entry : node.entries) {
    MemberSpec member{.name = entry.key, .match = {}, .by = {}, .size = {}, .claim = {}};
    member.match.broken = true;  // Until it is read.
    ok = check_name(entry, info, diagnostics) && ok;
    ok = read_member(entry, member, diagnostics) && ok;
    out.push_back(std::move(member));
  }
  return ok;
}

bool read_value(const YamlNode& node, const KeyInfo& info, ShareSpec& out,
                Diagnostics& diagnostics) {
  out.at = node.at;
  if (node.kind != YamlNode::Kind::mapping) {
    return report_type(node, "a mapping", info.name, diagnostics,
                       "to list a unit four times, write {count: 4}");
  }
  MapReader map(node, info.name, diagnostics);
  map.read(kCountKey, out);
  map.read(kSizeKeys, out);
  map.read(kPerContainerKey, out);
  bool ok = true;
  const bool by_size =
      std::ranges::any_of(kSizeKeys, [&](const auto& k) { return map.has(k.info.name); });
  if (by_size && map.has("count")) {
    diagnostics.error(
        map.at("count"), fmt::format("'count' beside '{}'", map.has("total") ? "total" : "each"),
        "write either a number of shares (count) or the size of a share (total and each)");
    ok = false;
  } else if (by_size) {
    for (const auto& k : kSizeKeys) map.require(k.info);
  } else if (map.has("perContainer") && !map.has("count")) {
    diagnostics.error(map.at("perContainer"), "'perContainer' alone does not share a unit",
                      "write the number of shares: count, or total and each");
    ok = false;
  }
  return map.finish() && ok;
}

std::vector<BlockInfo> unit_blocks() {
  return {{"member", key_infos(kMemberKeys)},
          {"share", key_infos(kCountKey, kSizeKeys, kPerContainerKey)}};
}

}  // namespace patchbay::config
