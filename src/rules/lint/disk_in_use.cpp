#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/lint/single_device.h"
#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"
#include "rules/text/glob.h"

namespace patchbay::rules {
namespace {

using config::ConditionSpec;
using Written = config::Located<std::string>;

constexpr std::string_view kWholeDisk =
    "require property: {USEC_INITIALIZED: {exists: true}, ID_FS_USAGE: {exists: false}, "
    "ID_PART_TABLE_TYPE: {exists: false}}, which needs udev";
constexpr std::string_view kPartition =
    "require property: {ID_FS_USAGE: {exists: false}, ID_PART_ENTRY_TYPE: …}, which needs udev";

/// Block devices that are not disks: they are empty or in memory until they are set up.
constexpr std::array<std::string_view, 5> kNoDisks{"loop", "nullb", "ram", "sr", "zram"};
/// Directories and name prefixes of disk nodes.
constexpr std::array<std::string_view, 9> kDiskNodes{"/dev/sd",     "/dev/vd",    "/dev/xvd",
                                                     "/dev/hd",     "/dev/nvme",  "/dev/mmcblk",
                                                     "/dev/mapper", "/dev/disk/", "/dev/dm-"};
constexpr std::array<std::string_view, 2> kDiskDirectories{"/sys/block/", "/sys/class/block/"};

template <typename Prefixes>
bool begins_with_one_of(std::string_view text, const Prefixes& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool has_wildcard(std::string_view glob) {
  const auto parsed = parse_glob(glob);
  return !parsed || parsed->form != Glob::Form::literal;
}

/// The only texts that meet the condition. Empty if other texts can meet it.
std::vector<std::string_view> texts_of(const ConditionSpec& condition) {
  if (condition.form == ConditionSpec::Form::text) return {condition.text};
  std::vector<std::string_view> all;
  for (const ConditionSpec& item : condition.list) {
    const auto texts = texts_of(item);
    if (texts.empty()) return {};
    all.insert(all.end(), texts.begin(), texts.end());
  }
  return all;
}

bool has_text(const ConditionSpec* condition, std::string_view text) {
  if (condition == nullptr) return false;
  const auto texts = texts_of(*condition);
  return std::ranges::find(texts, text) != texts.end();
}

bool checks_content(const config::FactConditionSpec& condition) {
  const std::string& name = condition.name.value;
  return condition.fact == Fact::property &&
         (name.starts_with("ID_FS_") || name.starts_with("ID_PART_"));
}

bool checks_content(const config::MatchSpec& match) {
  const auto in_block = [](const config::MatchSpec& block) { return checks_content(block); };
  return std::ranges::any_of(match.conditions,
                             [](const auto& condition) { return checks_content(condition); }) ||
         std::ranges::any_of(match.any, in_block) || std::ranges::any_of(match.except, in_block);
}

bool is_no_disk(const config::MatchSpec& match) {
  const ConditionSpec* name = match.find(Fact::name);
  if (name == nullptr) return false;
  const auto texts = texts_of(*name);
  return !texts.empty() && std::ranges::all_of(texts, [](std::string_view text) {
    return begins_with_one_of(text, kNoDisks);
  });
}

bool finds_block_nodes(const config::MatchSpec& match) {
  const ConditionSpec* type = match.find(Fact::type);
  return type == nullptr || has_text(type, "block");
}

/// The pattern that finds disks by their paths, if the match has one.
const Written* pattern_of_disks(const config::MatchSpec& match) {
  for (const Written& glob : match.glob) {
    if (has_wildcard(glob.value) && begins_with_one_of(glob.value, kDiskNodes) &&
        finds_block_nodes(match)) {
      return &glob;
    }
  }
  for (const Written& pattern : match.sysfs) {
    if (has_wildcard(pattern.value) && begins_with_one_of(pattern.value, kDiskDirectories) &&
        !begins_with_one_of(base_name(pattern.value), kNoDisks)) {
      return &pattern;
    }
  }
  return nullptr;
}

/// Whether a container can write to the nodes of the devices of this member. Empty name: the
/// matched devices.
bool gives_write_access(const GroupPlan& group, std::string_view member) {
  return std::ranges::any_of(group.devices, [&](const DeviceEntry& device) {
    if (device.permissions.find('w') == std::string::npos) return false;
    if (!device.host_path) return device.member == member;
    return std::ranges::any_of(device.host_path->uses(), [&](const Template::VariableUse& use) {
      return use.variable->of_device() && use.variable->member == member;
    });
  });
}

void check(const config::MatchSpec& match, config::Diagnostics& diagnostics) {
  if (checks_content(match) || is_no_disk(match) || identifies_each_device(match)) return;
  const ConditionSpec* subsystem = match.find(Fact::subsystem);
  const bool block = has_text(subsystem, "block");
  const Written* pattern = block ? nullptr : pattern_of_disks(match);
  if (!block && pattern == nullptr) return;
  const bool partitions = has_text(match.find(Fact::devtype), "partition");
  const std::string advice = fmt::format(
      "{}; or list the disks by serial number, or grant read access only (permissions: r)",
      partitions ? kPartition : kWholeDisk);
  if (block) {
    diagnostics.warning(subsystem->at,
                        "'subsystem: block' with write access also offers disks that are in use "
                        "(no condition on their content)",
                        advice);
    return;
  }
  const bool path = !match.glob.empty();
  diagnostics.warning(
      pattern->at,
      fmt::format(
          "'{}' with write access also offers disks that are in use ({})", pattern->value,
          path ? "a glob rule cannot check their content" : "no condition on their content"),
      (path ? "match subsystem: block and " : "") + advice);
}

}  // namespace

void warn_of_disks_in_use(const config::GroupSpec& spec, const GroupPlan& group,
                          config::Diagnostics& diagnostics) {
  if (gives_write_access(group, "")) check(spec.match, diagnostics);
  for (const config::MemberSpec& member : spec.members) {
    if (gives_write_access(group, member.name.value)) check(member.match, diagnostics);
  }
}

}  // namespace patchbay::rules
