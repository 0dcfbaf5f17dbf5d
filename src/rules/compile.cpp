#include "rules/compile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rules/position.h"
#include "rules/resource_name.h"

namespace patchbay::rules {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDefaultSettle{100};
constexpr milliseconds kDefaultLinger = std::chrono::minutes(5);
constexpr milliseconds kMaxSettle = std::chrono::minutes(1);
constexpr milliseconds kMaxLinger = std::chrono::hours(24);

using WrittenDuration = std::optional<config::Located<milliseconds>>;

/// Compiles the files of one configuration; each step reports what is wrong and goes on.
class Compiler {
 public:
  explicit Compiler(config::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void compile(const config::Spec& spec, Plan& plan);

 private:
  void compile_resource(const config::ResourceSpec& spec, const config::DefaultsSpec& defaults,
                        Plan& plan);
  std::optional<std::string> compile_name(const config::ResourceSpec& spec,
                                          const config::DefaultsSpec& defaults);
  std::optional<GroupPlan> compile_group(const config::GroupSpec& spec);
  milliseconds duration(std::string_view key, const WrittenDuration& own,
                        const WrittenDuration& of_file);

  config::Diagnostics& diagnostics_;
  std::map<std::string, config::Position> names_;  ///< Where each resource was named first.
};

/// The entries of one list that are right; the mistakes of the others are reported.
template <typename Entry, typename Spec>
std::vector<Entry> compile_entries(const std::vector<Spec>& specs, const TemplateRules& rules,
                                   config::Diagnostics& diagnostics) {
  std::vector<Entry> entries;
  for (const Spec& spec : specs) {
    if (auto entry = compile_entry(spec, rules, diagnostics)) entries.push_back(std::move(*entry));
  }
  return entries;
}

std::optional<GroupPlan> Compiler::compile_group(const config::GroupSpec& spec) {
  auto match = Matcher::compile(spec.match, diagnostics_);
  const auto kind = Matcher::kind_of(spec.match);
  // Without knowing what is looked at, nothing can be said of variables.
  if (!kind) return std::nullopt;
  TemplateRules rules{*kind, std::nullopt};
  if (match) rules.captures = match->capture_names();
  GroupPlan group;
  if (spec.id) group.id = Template::compile(*spec.id, TextUse::id, rules, diagnostics_);
  group.at = spec.at;
  group.devices = spec.devices ? compile_entries<DeviceEntry>(*spec.devices, rules, diagnostics_)
                               : std::vector{DeviceEntry{}};
  group.mounts = compile_entries<MountEntry>(spec.mounts, rules, diagnostics_);
  group.envs = compile_entries<EnvEntry>(spec.envs, rules, diagnostics_);
  group.annotations = compile_entries<AnnotationEntry>(spec.annotations, rules, diagnostics_);
  std::ranges::sort(group.envs, {}, &EnvEntry::series);
  std::ranges::sort(group.annotations, {}, &AnnotationEntry::series);
  if (!match || (spec.id && !group.id)) return std::nullopt;
  group.match = std::move(*match);
  return group;
}

std::optional<std::string> Compiler::compile_name(const config::ResourceSpec& spec,
                                                  const config::DefaultsSpec& defaults) {
  auto name = whole_resource_name(spec.name, defaults.domain, diagnostics_);
  if (!name) return std::nullopt;
  const auto [first, is_new] = names_.emplace(*name, spec.name.at);
  if (is_new) return name;
  diagnostics_.error(
      spec.name.at, fmt::format("the resource '{}' is already at {}", *name, place(first->second)),
      "a resource stands in one place; several ways to find its devices are its groups:");
  return std::nullopt;
}

milliseconds Compiler::duration(std::string_view key, const WrittenDuration& own,
                                const WrittenDuration& of_file) {
  const bool settle = key == "settle";
  const milliseconds longest = settle ? kMaxSettle : kMaxLinger;
  const auto& given = own ? own : of_file;
  if (!given) return settle ? kDefaultSettle : kDefaultLinger;
  if (given->value >= milliseconds::zero() && given->value <= longest) return given->value;
  diagnostics_.error(given->at, fmt::format("'{}' is out of range", key),
                     fmt::format("at least 0, at most {}", settle ? "1m" : "24h"));
  return longest;
}

void Compiler::compile_resource(const config::ResourceSpec& spec,
                                const config::DefaultsSpec& defaults, Plan& plan) {
  ResourcePlan resource;
  resource.at = spec.at;
  resource.description = spec.description;
  resource.settle = duration("settle", spec.settle, defaults.settle);
  resource.linger = duration("linger", spec.linger, defaults.linger);
  if (auto name = compile_name(spec, defaults)) resource.name = std::move(*name);
  for (const config::GroupSpec& group : spec.groups) {
    if (auto compiled = compile_group(group)) resource.groups.push_back(std::move(*compiled));
  }
  plan.resources.push_back(std::move(resource));
}

void Compiler::compile(const config::Spec& spec, Plan& plan) {
  if (spec.defaults.domain) check_domain(*spec.defaults.domain, diagnostics_);
  for (const config::ResourceSpec& resource : spec.resources) {
    compile_resource(resource, spec.defaults, plan);
  }
}

}  // namespace

PlanPtr compile(std::span<const config::Spec> specs, const CompileOptions& options,
                config::Diagnostics& diagnostics) {
  auto plan = std::make_shared<Plan>();
  plan->node = options.node;
  Compiler compiler(diagnostics);
  for (const config::Spec& spec : specs) compiler.compile(spec, *plan);
  if (!diagnostics.ok()) return nullptr;
  return plan;
}

}  // namespace patchbay::rules
