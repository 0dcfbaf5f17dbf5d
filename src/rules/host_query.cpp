#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/compile.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

void sort_unique(std::vector<std::string>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

/// The wanted facts of each rule, computed once. Equal members are represented by the first one.
using Wants = std::map<Rule, WantedFacts>;

void append(std::vector<std::string>& into, const std::vector<std::string>& from) {
  into.insert(into.end(), from.begin(), from.end());
}

bool wants_databases_above(const WantedFacts& wanted) {
  return std::ranges::any_of(wanted.above,
                             [](const WantedFacts& above) { return above.wants(Cost::database); });
}

bool wants_databases(const WantedFacts& wanted) {
  return wanted.wants(Cost::database) || wants_databases_above(wanted);
}

/// Network interfaces and their parent devices: their attributes report the state of a link.
bool may_have_link(const Matcher& match) {
  if (match.kind() == RuleKind::sysfs) return true;
  const auto patterns = match.subsystems();
  return std::ranges::any_of(patterns, [](const std::string& pattern) {
    return std::ranges::any_of(std::array{"net", "pci", "usb", "virtio"}, [&](const char* one) {
      return ::fnmatch(pattern.c_str(), one, 0) == 0;
    });
  });
}

bool reads_attributes(const WantedFacts& wanted) {
  return wanted.wants(Fact::attribute) || std::ranges::any_of(wanted.above, reads_attributes);
}

bool probes_attributes(const GroupPlan& group) {
  return std::ranges::any_of(
      group.health, [](const ProbePlan& probe) { return probe.kind == Check::Kind::attributes; });
}

bool follows_links(const GroupPlan& group, size_t role) {
  return may_have_link(group.matcher(role)) &&
         (probes_attributes(group) || reads_attributes(group.wanted(role)));
}

const Matcher& matcher_of(const Plan& plan, const Rule& rule) {
  return plan.group(rule).matcher(rule.role);
}

// Names that udev assigns. A rule that uses them waits until udev has processed a device. They are
// names of network interfaces and InfiniBand devices, which udev renames, and paths below /dev
// other than the kernel's node.

constexpr std::string_view kDev = "/dev/";

/// Whether udev renames the devices of this path component.
bool is_renamed(std::string_view component) {
  return component == "net" || component.starts_with("infiniband");
}

bool has_renamed_component(std::string_view path) {
  return std::ranges::any_of(split(path, '/'), is_renamed);
}

/// Paths below /dev where the kernel creates nodes and udev creates no links.
bool is_of_kernel(std::string_view rest) {
  constexpr std::array<std::string_view, 2> kDirectories{"bus/usb/", "vfio/"};
  constexpr std::array<std::string_view, 2> kNodes{"$(name)", "null"};
  const std::string_view path = rest.substr(0, rest.find_first_of(" \t\n\"';,:&|<>"));
  return std::ranges::find(kNodes, path) != kNodes.end() ||
         std::ranges::any_of(kDirectories, [&](auto one) { return path.starts_with(one); });
}

/// Checks the text as written, so that fallbacks are included. The path can be anywhere in an
/// argument.
bool may_depend_on_udev(std::string_view text) {
  if (text.find("/run/udev") != std::string_view::npos) return true;
  for (size_t at = text.find(kDev); at != std::string_view::npos; at = text.find(kDev, at)) {
    at += kDev.size();
    if (!is_of_kernel(text.substr(at))) return true;
  }
  return false;
}

bool any_depends_on_udev(const std::vector<Template>& texts) {
  return std::ranges::any_of(texts,
                             [](const auto& text) { return may_depend_on_udev(text.text()); });
}

bool any_file_depends_on_udev(const Matcher& match) {
  std::vector<Matcher::HostReference> named;
  match.add_host_references(named);
  return std::ranges::any_of(named, [](const auto& one) {
    return one.fact == Fact::file && may_depend_on_udev(one.text);
  });
}

bool reads_udev_data(const ProbePlan& probe) {
  return probe.kind == Check::Kind::properties || any_depends_on_udev(probe.texts) ||
         std::ranges::any_of(probe.tests, [](const ProbePlan::Test& test) {
           return test.path && may_depend_on_udev(test.path->text());
         });
}

/// Whether one of the facts is such a name, or is found by one.
bool uses_udev_names(const WantedFacts& wanted) {
  return std::ranges::any_of(wanted.facts,
                             [](const FactName& name) {
                               if (name.fact == Fact::pci) return name.argument == "pfName";
                               return name.fact == Fact::attribute &&
                                      has_renamed_component(name.argument);
                             }) ||
         std::ranges::any_of(wanted.above,
                             [](const WantedFacts& above) { return uses_udev_names(above); });
}

/// Whether a text of the group can contain such a path of the host, or a probe reads data that udev
/// wrote.
bool uses_udev_names(const GroupPlan& group) {
  for (Role role = 0; role < group.roles(); ++role) {
    if (any_file_depends_on_udev(group.matcher(role))) return true;
  }
  return std::ranges::any_of(group.devices,
                             [](const DeviceEntry& entry) {
                               return entry.host_path &&
                                      may_depend_on_udev(entry.host_path->text());
                             }) ||
         std::ranges::any_of(
             group.mounts,
             [](const MountEntry& entry) { return may_depend_on_udev(entry.host_path.text()); }) ||
         std::ranges::any_of(group.health, reads_udev_data) ||
         std::ranges::any_of(kStepLists, [&](const StepList list) {
           return std::ranges::any_of(
               group.*list, [](const StepPlan& step) { return any_depends_on_udev(step.texts); });
         });
}

/// Adds the facts of the attributes that each DRA device has. GroupPlan::wanted() has the NUMA
/// node.
void add_published(RuleKind kind, WantedFacts& wanted) {
  if (!kDeviceRules.contains(kind)) return;
  for (const char* field : {"vendor", "product", "serial", "socket"}) wanted.add(Fact::usb, field);
  for (const char* field : {"vendor", "device", "address"}) wanted.add(Fact::pci, field);
}

Wants wants_of(const Plan& plan) {
  Wants wants;
  for (const Rule& rule : plan.index.all()) {
    const ResourcePlan& resource = *plan.resources[rule.resource];
    WantedFacts& wanted = wants[plan.index.representative(rule)];
    wanted.relevant = true;
    const GroupPlan& group = resource.groups[rule.group];
    wanted.add(group.wanted(rule.role));
    wanted.names_from_udev =
        wanted.names_from_udev || uses_udev_names(group) || uses_udev_names(wanted);
    if (rule.role != 0) continue;
    if (resource.serve == config::Serve::dra) add_published(group.match.kind(), wanted);
    if (!resource.writes_device_info) continue;
    for (const char* field : {"address", "physfn"}) wanted.add(Fact::pci, field);
  }
  return wants;
}

WantedFacts wanted_by(const Plan& plan, const Wants& wants, const DeviceFacts& cheap) {
  WantedFacts wanted;
  for (const Rule& rule : plan.index.candidates(cheap)) {
    if (matcher_of(plan, rule).could_match(cheap)) wanted.add(wants.at(rule));
  }
  if (wanted.relevant && has_renamed_component(cheap.syspath())) wanted.names_from_udev = true;
  return wanted;
}

/// A sysfs rule can find any device, and the device's event does not say which rule finds it.
bool any_sysfs_rule_awaits_udev(const Plan& plan, const Wants& wants) {
  return std::ranges::any_of(wants, [&](const auto& rule) {
    return matcher_of(plan, rule.first).kind() == RuleKind::sysfs && rule.second.awaits_udev();
  });
}

std::vector<std::string> files_of(const Plan& plan, const DeviceFacts& facts) {
  std::vector<std::string> files;
  for (const Rule& rule : plan.index.candidates(facts)) {
    matcher_of(plan, rule).want_files(facts, files);
  }
  sort_unique(files);
  return files;
}

/// The facts of all rules, for a device that may match none of them.
WantedFacts wanted_by_all(const Wants& wants) {
  WantedFacts wanted{.relevant = true};
  for (const auto& [rule, of_rule] : wants) wanted.add(of_rule);
  return wanted;
}

std::vector<std::string> files_of_all(const Plan& plan, const DeviceFacts& facts) {
  std::vector<std::string> files;
  for (const Rule& rule : plan.index.all()) matcher_of(plan, rule).add_files(facts, files);
  sort_unique(files);
  return files;
}

std::vector<std::string>* patterns_of(HostQuery& query, RuleKind kind) {
  switch (kind) {
    case RuleKind::subsystem:
      return &query.subsystems;
    case RuleKind::sysfs:
      return &query.sysfs_patterns;
    case RuleKind::glob:
      return &query.glob_patterns;
    case RuleKind::static_name:
      return &query.static_names;
    case RuleKind::node:
      break;
  }
  return nullptr;
}

/// The lists of the query, and the facts that each rule wants.
std::shared_ptr<HostQuery> make_query(const PlanPtr& plan, Wants& wants) {
  auto query = std::make_shared<HostQuery>();
  for (const Rule& rule : plan->index.all()) {
    const Matcher& match = matcher_of(*plan, rule);
    append(*patterns_of(*query, match.kind()), {match.patterns().begin(), match.patterns().end()});
    append(query->subsystems, match.subsystems());
    const GroupPlan& group = plan->resources[rule.resource]->groups[rule.group];
    query->follows_links = query->follows_links || follows_links(group, rule.role);
  }
  wants = wants_of(*plan);
  query->databases =
      std::ranges::any_of(wants, [](const auto& rule) { return wants_databases(rule.second); });
  query->databases_above = std::ranges::any_of(
      wants, [](const auto& rule) { return wants_databases_above(rule.second); });
  for (auto* names :
       {&query->sysfs_patterns, &query->glob_patterns, &query->static_names, &query->subsystems}) {
    sort_unique(*names);
  }
  if (std::ranges::find(query->subsystems, "*") != query->subsystems.end()) {
    query->subsystems = {"*"};
  }
  return query;
}

}  // namespace

HostQueryPtr host_query(const PlanPtr& plan) {
  Wants wants;
  auto query = make_query(plan, wants);
  const bool all_await = any_sysfs_rule_awaits_udev(*plan, wants);
  query->wanted = [plan, wants = std::move(wants), all_await](const DeviceFacts& cheap) {
    WantedFacts wanted = wanted_by(*plan, wants, cheap);
    wanted.names_from_udev = wanted.names_from_udev || (all_await && wanted.relevant);
    return wanted;
  };
  query->files = [plan](const DeviceFacts& facts) { return files_of(*plan, facts); };
  return query;
}

HostQueryPtr examination_query(const PlanPtr& plan) {
  Wants wants;
  auto query = make_query(plan, wants);
  query->wanted = [wanted = wanted_by_all(wants)](const DeviceFacts&) { return wanted; };
  query->files = [plan](const DeviceFacts& facts) { return files_of_all(*plan, facts); };
  return query;
}

}  // namespace patchbay::rules
