#include "rules/compile.h"

#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rules/clashes.h"
#include "rules/group_compile.h"
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
  milliseconds duration(std::string_view key, const WrittenDuration& own,
                        const WrittenDuration& of_file);

  config::Diagnostics& diagnostics_;
  std::map<std::string, config::Position> names_;  ///< Where each resource was named first.
};

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
  resource.shares_claims = spec.claim && spec.claim->value == "shared";
  if (spec.when) resource.when = NodeCondition::compile(*spec.when, diagnostics_);
  const GroupContext context{.id_prefix = resource.shares_claims ? resource.name + ':' : ""};
  for (const config::GroupSpec& group : spec.groups) {
    if (auto compiled = compile_group(group, context, diagnostics_)) {
      resource.groups.push_back(std::move(*compiled));
    }
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
  plan->index = RuleIndex(plan->resources);
  warn_of_clashes(*plan, diagnostics);
  return plan;
}

}  // namespace patchbay::rules
