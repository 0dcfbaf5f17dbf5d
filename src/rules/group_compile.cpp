#include "rules/group_compile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

constexpr std::string_view kOfMatched =
    "'by' is rendered for each matched device before its unit is known; a member can have its own "
    "'by' that gives the same text";
constexpr std::string_view kOfMember =
    "the 'by' of a member is rendered for each of its own devices";

/// Names that later versions may use for variables: today $(pod.…) would mean the member.
constexpr std::array<std::string_view, 4> kReserved{"count", "index", "pod", "container"};

bool is_reserved(std::string_view name) {
  return std::ranges::find(kReserved, name) != kReserved.end();
}

/// The valid entries of one list. The mistakes of the other entries are reported.
template <typename Entry, typename Spec>
std::vector<Entry> compile_entries(const std::vector<Spec>& specs, const TemplateRules& rules,
                                   config::Diagnostics& diagnostics) {
  std::vector<Entry> entries;
  for (const Spec& spec : specs) {
    if (auto entry = compile_entry(spec, rules, diagnostics)) entries.push_back(std::move(*entry));
  }
  return entries;
}

/// Compiles one group. Each step reports its mistakes and continues.
class GroupCompiler {
 public:
  GroupCompiler(const config::GroupSpec& spec, const ResourcePlan& resource,
                config::Diagnostics& diagnostics)
      : spec_(spec), resource_(resource), diagnostics_(diagnostics) {}

  std::optional<GroupPlan> compile();

 private:
  std::optional<EntityRules> compile_match(const config::MatchSpec& spec,
                                           std::optional<Matcher>& match);
  void compile_grouping();
  void compile_expect();
  void compile_member(const config::MemberSpec& spec);
  [[nodiscard]] std::vector<MemberRules> member_names() const;
  std::optional<Template> member_by(const config::MemberSpec& spec, const EntityRules& entity);
  void compile_size(const std::optional<config::Located<std::string>>& written, SizeRange& size);
  [[nodiscard]] bool is_default(const DeviceEntry& entry, const Matcher& match) const;
  void replace_written_defaults(const Matcher& match);
  void compile_entries_of_group(const Matcher* match);
  void compile_cdi(const TemplateRules& rules);
  void compile_lifecycle(const TemplateRules& rules);
  [[nodiscard]] std::vector<StepPlan> compile_steps(const std::vector<config::StepSpec>& specs,
                                                    std::chrono::milliseconds budget,
                                                    const TemplateRules& rules);

  [[nodiscard]] bool serves_dra() const { return resource_.serve == config::Serve::dra; }
  [[nodiscard]] EditsIn edits_in() const;
  void compile_dra();

  const config::GroupSpec& spec_;
  const ResourcePlan& resource_;
  config::Diagnostics& diagnostics_;
  GroupPlan out_;
  TemplateRules rules_;
  config::ErrorCheckpoint errors_{diagnostics_};
};

std::optional<EntityRules> GroupCompiler::compile_match(const config::MatchSpec& spec,
                                                        std::optional<Matcher>& match) {
  match = Matcher::compile(spec, diagnostics_);
  const auto kind = Matcher::kind_of(spec);
  if (!kind) return std::nullopt;
  EntityRules entity{*kind, std::nullopt};
  if (match) entity.captures = match->capture_names();
  return entity;
}

void GroupCompiler::compile_size(const std::optional<config::Located<std::string>>& written,
                                 SizeRange& size) {
  if (!written) return;
  if (const auto parsed = SizeRange::parse(written->value)) {
    size = *parsed;
  } else {
    diagnostics_.error(written->at, fmt::format("bad size '{}'", written->value),
                       "write a number of devices (2), a range (0-4), or 1+ for one or more");
  }
}

/// The names of the members. In a `by`, their variables are not known yet.
std::vector<MemberRules> GroupCompiler::member_names() const {
  std::vector<MemberRules> members;
  for (const config::MemberSpec& member : spec_.members) {
    if (find_variable(member.name.value) == nullptr) members.push_back({member.name.value, {}});
  }
  return members;
}

/// The `by` of the member, or of the group. The devices of the member must be able to render it.
std::optional<Template> GroupCompiler::member_by(const config::MemberSpec& spec,
                                                 const EntityRules& entity) {
  TemplateRules rules{.entity = entity, .stage = RenderStage::grouping, .reason = kOfMember};
  if (spec.by) {
    rules.members = member_names();
    return Template::compile(*spec.by, TextUse::key, rules, diagnostics_);
  }
  if (!spec_.by) return std::nullopt;
  config::Diagnostics found;
  auto by = Template::compile(*spec_.by, TextUse::key, rules, found);
  // A mistake in the group's `by` is already reported.
  if (!by && out_.by) {
    diagnostics_.error(
        spec.name.at,
        fmt::format("the group's by: {} cannot be rendered for the devices of '{}': {}",
                    spec_.by->value, spec.name.value, found.all().front().message),
        "give the member its own 'by' that gives the same text");
  }
  return by;
}

void GroupCompiler::compile_member(const config::MemberSpec& spec) {
  const bool is_variable = find_variable(spec.name.value) != nullptr;
  const bool misnamed = is_variable || is_reserved(spec.name.value);
  if (misnamed) {
    diagnostics_.error(
        spec.name.at,
        fmt::format("'{}' is {} and cannot name a member", spec.name.value,
                    is_variable ? "a variable" : "reserved for a variable of a later version"),
        fmt::format("write for example {0}-device and $({0}-device.devnode)", spec.name.value));
  }
  const bool is_static = !spec.match.static_names.empty();
  if (is_static) {
    diagnostics_.error(spec.match.at, "a static name cannot be a member",
                       "members are devices that can be plugged and unplugged: find them by "
                       "subsystem:, sysfs: or glob:");
  }
  std::optional<Matcher> match;
  const auto entity = compile_match(spec.match, match);
  SizeRange size;
  compile_size(spec.size, size);
  rules_.members.push_back(
      {spec.name.value, entity.value_or(EntityRules{}), misnamed || is_static || !entity});
  if (!entity) return;
  auto by = member_by(spec, *entity);
  if (!match || !by) return;
  const bool shares = spec.claim && spec.claim->value == config::ClaimMode::shared;
  out_.members.push_back({spec.name.value, std::move(*match), std::move(*by), size, shares});
}

void GroupCompiler::compile_grouping() {
  compile_size(spec_.size, out_.size);
  if (spec_.by) {
    TemplateRules rules = rules_.at(RenderStage::grouping, kOfMatched);
    rules.members = member_names();
    out_.by = Template::compile(*spec_.by, TextUse::key, rules, diagnostics_);
  } else if (spec_.size) {
    diagnostics_.error(
        spec_.size->at, "'size' needs 'by'",
        "without 'by' each device that matches is a unit; write by: to group devices");
  }
  if (spec_.size && out_.size.min == 0) {
    diagnostics_.error(spec_.size->at, "a unit has at least one device that matches",
                       "for optional devices write members:");
  }
  if (!spec_.by && !spec_.members.empty()) {
    diagnostics_.error(spec_.members.front().name.at, "'members' needs 'by'",
                       "write by: to group devices, for example by: $(usb.socket)");
  }
  for (const config::MemberSpec& member : spec_.members) compile_member(member);
  std::ranges::sort(out_.members, {}, &MemberPlan::name);
  std::ranges::sort(rules_.members, {}, &MemberRules::name);
}

void GroupCompiler::compile_expect() {
  if (!spec_.expect) return;
  const auto units = parse_whole<uint16_t>(spec_.expect->value);
  out_.expect = units.value_or(0);
  if (out_.expect > 0) return;
  diagnostics_.error(
      spec_.expect->at, fmt::format("bad number '{}' for 'expect'", printable(spec_.expect->value)),
      fmt::format("write a whole number from 1 to {}: the healthy units that a node should have",
                  std::numeric_limits<uint16_t>::max()));
}

/// Whether the entry equals the default of `devices`: the node, if every device has one.
bool GroupCompiler::is_default(const DeviceEntry& entry, const Matcher& match) const {
  const VariableRef* const node = entry.host_path ? entry.host_path->sole_variable() : nullptr;
  if (node == nullptr) return false;
  DeviceEntry plain;
  plain.host_path = entry.host_path;
  plain.multiplicity = entry.multiplicity;
  const auto member = std::ranges::find(out_.members, node->member, &MemberPlan::name);
  if (entry != plain || (!node->member.empty() && member == out_.members.end())) return false;
  const Matcher& of = node->member.empty() ? match : member->match;
  return of.ensures_device_node() &&
         node->is(of.kind() == RuleKind::glob ? Fact::path : Fact::devnode);
}

/// Replaces explicit defaults, so that they compare equal to omitted ones.
void GroupCompiler::replace_written_defaults(const Matcher& match) {
  for (DeviceEntry& entry : out_.devices) {
    if (is_default(entry, match))
      entry = DeviceEntry::own_nodes(entry.host_path->sole_variable()->member);
  }
}

EditsIn GroupCompiler::edits_in() const {
  if (serves_dra()) return EditsIn::claim_spec;
  return spec_.cdi && spec_.cdi->write ? EditsIn::unit_spec : EditsIn::answer;
}

void GroupCompiler::compile_entries_of_group(const Matcher* match) {
  const TemplateRules rules = rules_.at(RenderStage::allocation);
  // The CDI spec of a unit is written before any allocation.
  const TemplateRules entry_rules =
      edits_in() == EditsIn::unit_spec
          ? rules_.at(RenderStage::sharing,
                      "with cdi: write, devices and mounts are the same for every container "
                      "that gets the unit")
          : rules;
  if (spec_.devices) {
    for (const config::DeviceEntrySpec& device : *spec_.devices) {
      auto entry = compile_entry(device, entry_rules, edits_in(), diagnostics_);
      if (entry) out_.devices.push_back(*std::move(entry));
    }
    if (match != nullptr) replace_written_defaults(*match);
  } else {
    out_.devices = {DeviceEntry::own_nodes({})};
    for (const MemberPlan& member : out_.members) {
      out_.devices.push_back(DeviceEntry::own_nodes(member.name));
    }
  }
  out_.mounts = compile_entries<MountEntry>(spec_.mounts, entry_rules, diagnostics_);
  out_.envs = compile_entries<EnvEntry>(spec_.envs, rules, diagnostics_);
  out_.annotations = compile_entries<AnnotationEntry>(spec_.annotations, rules, diagnostics_);
  compile_cdi(rules);
  compile_lifecycle(rules_.at(RenderStage::allocation));
  std::ranges::sort(out_.envs, {}, &EnvEntry::series);
  std::ranges::sort(out_.annotations, {}, &AnnotationEntry::series);
}

/// CDI specs of other programs bring their own devices.
void GroupCompiler::compile_cdi(const TemplateRules& rules) {
  if (!spec_.cdi) return;
  out_.writes_cdi = edits_in() == EditsIn::unit_spec;
  for (const auto& name : spec_.cdi->names) {
    if (auto entry = compile_cdi_name(name, rules, diagnostics_)) {
      out_.cdi_names.push_back(*std::move(entry));
    }
  }
  if (!spec_.cdi->write && !spec_.devices) out_.devices.clear();
}

/// Compiles the actions on a unit while it is offered, before a container starts and after its end.
void GroupCompiler::compile_lifecycle(const TemplateRules& rules) {
  const TemplateRules probing =
      rules.at(RenderStage::sharing, "a probe checks the unit, whether a container has it or not");
  const TemplateRules stepping = rules.at(RenderStage::sharing, "steps apply to the whole unit");
  for (const config::ProbeSpec& spec : spec_.health) {
    auto probe = ProbePlan::compile(spec, probing, diagnostics_);
    if (probe) out_.health.push_back(*std::move(probe));
  }
  out_.pre_start = compile_steps(spec_.pre_start, kPreStartBudget, stepping);
  out_.release = compile_steps(spec_.release, kReleaseBudget, stepping);
}

void GroupCompiler::compile_dra() {
  if (!spec_.dra || !serves_dra()) return;
  out_.attributes = compile_attributes(
      spec_.dra->attributes, resource_.driver,
      rules_.at(RenderStage::sharing, "attributes are published before a Pod gets the unit"),
      diagnostics_);
}

/// The steps, and so their waits, run one after the other, within the time limit of all steps.
std::vector<StepPlan> GroupCompiler::compile_steps(const std::vector<config::StepSpec>& specs,
                                                   std::chrono::milliseconds budget,
                                                   const TemplateRules& rules) {
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  std::vector<StepPlan> steps;
  std::chrono::milliseconds sum{};
  for (const config::StepSpec& spec : specs) {
    auto step = StepPlan::compile(spec, budget, rules, diagnostics_);
    if (!step) continue;
    const bool fitted = sum <= budget;
    sum += step->limit;
    if (fitted && sum > budget) {
      diagnostics_.error(
          step->at.position, fmt::format("the waits up to this one can take {}s", seconds(sum)),
          fmt::format("all steps together have {}s: write shorter times in for:", seconds(budget)));
    }
    steps.push_back(*std::move(step));
  }
  return steps;
}

std::optional<GroupPlan> GroupCompiler::compile() {
  out_.at = {spec_.at};
  if (spec_.when) out_.when = Matcher::compile_when(*spec_.when, diagnostics_);
  std::optional<Matcher> match;
  const auto entity = compile_match(spec_.match, match);
  // Without the kind of the rule, variables cannot be checked.
  if (!entity) return std::nullopt;
  rules_ = {.entity = *entity,
            .grouped = spec_.by.has_value(),
            .shared = spec_.share.has_value(),
            .dra = serves_dra()};
  compile_grouping();
  compile_expect();
  if (spec_.id) {
    out_.id =
        Template::compile(*spec_.id, TextUse::id, rules_.at(RenderStage::identity), diagnostics_);
  }
  if (spec_.share) out_.share = SharePlan::compile(*spec_.share, rules_, diagnostics_);
  compile_entries_of_group(match ? &*match : nullptr);
  compile_dra();
  if (!match || errors_.any()) return std::nullopt;
  out_.match = std::move(*match);
  warn_of_shared_paths(spec_.match, out_, diagnostics_);
  warn_of_disks_in_use(spec_, out_, diagnostics_);
  warn_of_usb_interfaces(spec_, out_, diagnostics_);
  return std::move(out_);
}

}  // namespace

std::optional<GroupPlan> compile_group(const config::GroupSpec& spec, const ResourcePlan& resource,
                                       config::Diagnostics& diagnostics) {
  return GroupCompiler(spec, resource, diagnostics).compile();
}

}  // namespace patchbay::rules
