#include "rules/compile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/dra_compile.h"
#include "rules/group_compile.h"
#include "rules/lint/warnings.h"
#include "rules/plan/plan.h"
#include "rules/text/position.h"
#include "rules/text/qualified_name.h"
#include "rules/text/text_use.h"

namespace patchbay::rules {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDefaultLinger = std::chrono::minutes(5);
constexpr milliseconds kMaxLinger = std::chrono::hours(24);

// A file name has at most 255 characters: "patchbay-NAME.json", "NAME-ID-device.json".
constexpr size_t kMaxCdiNameLength = 255 - 14;
constexpr size_t kMaxInfoNameLength = 255 - 13 - kMaxIdLength;

using WrittenDuration = std::optional<config::Located<milliseconds>>;

/// Compiles the files of one configuration. Each step reports its mistakes and continues.
class Compiler {
 public:
  Compiler(std::string node, std::span<const config::Spec> specs, config::Diagnostics& diagnostics)
      : node_(std::move(node)),
        driver_(compile_driver(specs, diagnostics)),
        release_timeout_(compile_release_timeout(specs, diagnostics)),
        diagnostics_(diagnostics) {}

  void compile(const config::Spec& spec, Plan& plan);
  [[nodiscard]] std::string driver() const { return driver_.value_or(""); }

 private:
  void compile_resource(const config::ResourceSpec& spec, const config::DefaultsSpec& defaults,
                        Plan& plan);
  std::optional<std::string> compile_name(const config::ResourceSpec& spec,
                                          const config::DefaultsSpec& defaults);
  void check_file_names(const ResourcePlan& resource, const config::Position& at);
  void compile_choice(const config::ResourceSpec& spec, ResourcePlan& resource);
  milliseconds linger(const WrittenDuration& own, const WrittenDuration& of_file);

  std::string node_;
  std::optional<std::string> driver_;  ///< Null: no file has `dra:`. Empty: it has a mistake.
  milliseconds release_timeout_;
  config::Diagnostics& diagnostics_;
  std::map<std::string, config::Position> names_;  ///< The first position of each resource name.
};

std::optional<std::string> Compiler::compile_name(const config::ResourceSpec& spec,
                                                  const config::DefaultsSpec& defaults) {
  if (spec.name.value.empty()) return std::nullopt;  // The missing name is already reported.
  auto name = qualified_resource_name(spec.name, defaults.domain, diagnostics_);
  if (!name) return std::nullopt;
  const auto [first, is_new] = names_.emplace(*name, spec.name.at);
  if (is_new) return name;
  diagnostics_.error(
      spec.name.at,
      fmt::format("the resource '{}' is already at {}", *name, location_text(first->second)),
      "define each resource once; for several ways to find its devices write groups:");
  return std::nullopt;
}

milliseconds Compiler::linger(const WrittenDuration& own, const WrittenDuration& of_file) {
  const auto& given = own ? own : of_file;
  if (!given) return kDefaultLinger;
  if (given->value >= milliseconds::zero() && given->value <= kMaxLinger) return given->value;
  diagnostics_.error(given->at, "'linger' is out of range", "write a value from 0 to 24h");
  return kMaxLinger;
}

/// Compiles `prefer`, `topology` and `deviceInfo`: the choice of units, and data about units for
/// other programs.
void Compiler::compile_choice(const config::ResourceSpec& spec, ResourcePlan& resource) {
  for (const auto& written : spec.prefer) {
    if (std::ranges::find(resource.prefer, written.value) == resource.prefer.end()) {
      resource.prefer.push_back(written.value);
    } else {
      diagnostics_.error(written.at, fmt::format("'{}' is listed twice", word_of(written.value)),
                         "each item breaks the ties of the items before it: remove the second one");
    }
  }
  resource.reports_topology = !spec.topology || spec.topology->value == config::Topology::automatic;
  resource.writes_device_info = spec.device_info.has_value();
  if (!spec.device_info) return;
  for (const config::GroupSpec& group : spec.groups) {
    const auto kind = Matcher::kind_of(group.match);
    if (!kind || info(Fact::pci).variable_in.contains(*kind)) continue;
    diagnostics_.error(spec.device_info->at,
                       fmt::format("'deviceInfo: pci' beside a {} rule", rule_word(*kind)),
                       "only devices found by subsystem: or sysfs: have a PCI address");
  }
}

/// The resource name is used in file names that other programs read, and in the name of its CDI
/// kind.
void Compiler::check_file_names(const ResourcePlan& resource, const config::Position& at) {
  const bool cdi = std::ranges::any_of(resource.groups, &GroupPlan::writes_cdi);
  const auto check_length = [&](std::string_view key, size_t most) {
    if (resource.name.size() <= most) return;
    diagnostics_.error(at,
                       fmt::format("the resource name has {} characters; with '{}' at most {} "
                                   "are allowed",
                                   resource.name.size(), key, most),
                       "the name is used in file names: write a shorter one");
  };
  if (cdi) check_length("cdi: write", kMaxCdiNameLength);
  if (resource.writes_device_info) check_length("deviceInfo", kMaxInfoNameLength);
  if (cdi && cdi_name_fault(resource.name + "=0")) {
    diagnostics_.error(
        at, fmt::format("the resource name '{}' is not valid as a CDI kind", resource.name),
        "with 'cdi: write', the text before and after the '/' must begin with a letter");
  }
}

/// The default preference: a number of shares is for many users, shares of a total are for one
/// user.
Preference default_preference(const ResourcePlan& resource) {
  for (const GroupPlan& group : resource.groups) {
    if (group.share) return group.share->count ? Preference::spread : Preference::packed;
  }
  return Preference::numa;
}

void Compiler::compile_resource(const config::ResourceSpec& spec,
                                const config::DefaultsSpec& defaults, Plan& plan) {
  ResourcePlan resource;
  resource.at = {spec.at};
  resource.node = node_;
  resource.description = spec.description;
  resource.linger = linger(spec.linger, defaults.linger);
  if (auto name = compile_name(spec, defaults)) resource.name = std::move(*name);
  resource.shares_claims = spec.claim && spec.claim->value == config::ClaimMode::shared;
  if (spec.when) resource.when = Matcher::compile_when(*spec.when, diagnostics_);
  if (spec.serve) resource.serve = spec.serve->value;
  if (resource.serve == config::Serve::dra) {
    resource.driver = driver();
    resource.release_timeout = release_timeout_;
  }
  check_serve(spec, resource.name, driver_.has_value(), diagnostics_);
  compile_choice(spec, resource);
  for (const config::GroupSpec& group : spec.groups) {
    if (auto compiled = compile_group(group, resource, diagnostics_)) {
      resource.groups.push_back(std::move(*compiled));
    }
  }
  // The condition of a single group becomes the condition of its resource.
  if (resource.groups.size() == 1 && spec.groups.size() == 1 && !resource.when) {
    resource.when = std::exchange(resource.groups.front().when, std::nullopt);
  }
  if (!resource.name.empty()) check_file_names(resource, spec.name.at);
  check_env_joins(resource, diagnostics_);
  if (resource.prefer.empty()) resource.prefer = {default_preference(resource)};
  plan.resources.push_back(std::make_shared<const ResourcePlan>(std::move(resource)));
}

void Compiler::compile(const config::Spec& spec, Plan& plan) {
  if (spec.defaults.domain) check_domain(*spec.defaults.domain, diagnostics_);
  for (const config::ResourceSpec& resource : spec.resources) {
    compile_resource(resource, spec.defaults, plan);
  }
  check_ineffective_texts(spec, diagnostics_);
}

}  // namespace

PlanPtr compile(std::span<const config::Spec> specs, const CompileOptions& options,
                config::Diagnostics& diagnostics) {
  auto plan = std::make_shared<Plan>();
  Compiler compiler(options.node, specs, diagnostics);
  plan->driver = compiler.driver();
  for (const config::Spec& spec : specs) compiler.compile(spec, *plan);
  if (!diagnostics.ok()) return nullptr;
  warn_of_unreached(specs, diagnostics);
  plan->index = RuleIndex(plan->resources);
  warn_of_clashes(*plan, diagnostics);
  return plan;
}

}  // namespace patchbay::rules
