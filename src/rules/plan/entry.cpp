#include "rules/plan/entry.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

using OptionalPath = std::optional<config::Located<std::string>>;

/// The container path, if it is written. Null only after a mistake.
std::optional<std::optional<Template>> container_path(const OptionalPath& written,
                                                      const TemplateRules& rules,
                                                      config::Diagnostics& diagnostics) {
  if (!written) return std::optional<Template>{};
  auto compiled = Template::compile(*written, TextUse::path, rules.in_container(), diagnostics);
  if (!compiled) return std::nullopt;
  return compiled;
}

/// A container path equal to the host path is the default.
void drop_equal(std::optional<Template>& container, const Template& host) {
  if (container && *container == host) container.reset();
}

/// Permissions in the order rwm, in whatever order they are written.
std::string ordered_permissions(std::string_view written) {
  std::string permissions;
  for (const char letter : std::string_view("rwm")) {
    if (written.find(letter) != std::string_view::npos) permissions += letter;
  }
  return permissions;
}

bool check_permissions(const config::DeviceEntrySpec& spec, config::Diagnostics& diagnostics) {
  if (!spec.permissions) return true;
  const std::string& value = spec.permissions->value;
  bool good = !value.empty();
  for (size_t i = 0; i < value.size(); ++i) {
    const bool known = std::string_view("rwm").find(value[i]) != std::string_view::npos;
    good = good && known && value.find(value[i], i + 1) == std::string::npos;
  }
  if (!good) {
    diagnostics.error(spec.permissions->at, fmt::format("bad permissions '{}'", printable(value)),
                      "write any of r (read), w (write), m (mknod), each once");
  }
  return good;
}

/// `links` belong to the matched device, so the entry must give the node of this device.
bool check_links(const config::DeviceEntrySpec& spec, const Template& host_path,
                 const TemplateRules& rules, config::Diagnostics& diagnostics) {
  if (!spec.links.value) return true;
  const VariableRef* const node = host_path.sole_variable();
  const bool of_matched = node == nullptr || node->member.empty();
  if (of_matched && !info(Fact::link).variable_in.contains(rules.entity.kind)) {
    diagnostics.error(
        spec.links.at,
        fmt::format("'links' is not available in a {} rule", rule_word(rules.entity.kind)),
        "only devices found by subsystem: or sysfs: have udev links");
    return false;
  }
  if (node != nullptr && (node->is(Fact::devnode) || node->is(Fact::link))) return true;
  diagnostics.error(spec.links.at, "'links' needs the device's own node as hostPath",
                    "write hostPath: $(devnode)");
  return false;
}

Multiplicity multiplicity_of(const Template& a, const std::optional<Template>& b) {
  const std::array<const Template*, 2> both{&a, b ? &*b : nullptr};
  return Multiplicity::of(std::span(both).first(b ? 2 : 1));
}

Multiplicity multiplicity_of(const Template& a, const Template& b) {
  return Multiplicity::of(std::array<const Template*, 2>{&a, &b});
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::lower_bound(names, name);
  if (at == names.end() || *at != name) names.insert(at, name);
}

}  // namespace

Multiplicity Multiplicity::of(std::span<const Template* const> texts) {
  Multiplicity multiplicity;
  for (const Template* text : texts) {
    for (const Template::VariableUse& use : text->uses()) {
      const VariableRef& ref = *use.variable;
      if (ref.variable == Variable::resource || ref.variable == Variable::node ||
          info(ref).of_pod()) {
        continue;
      }
      multiplicity.per_unit = true;
      multiplicity.shares = multiplicity.shares || ref.variable == Variable::share;
      if (!ref.member.empty()) {
        add_name(multiplicity.members, ref.member);
        if (use.required) add_name(multiplicity.required, ref.member);
      } else if (ref.of_device()) {
        multiplicity.matched = true;
      }
    }
  }
  return multiplicity;
}

bool is_same_for_all_units(const Template& text) {
  const Template* const one = &text;
  return !Multiplicity::of({&one, 1}).per_unit;
}

DeviceEntry DeviceEntry::own_nodes(std::string member) {
  DeviceEntry entry;
  entry.multiplicity.per_unit = true;
  entry.multiplicity.matched = member.empty();
  if (!member.empty()) {
    entry.multiplicity.members = {member};
    entry.multiplicity.required = {member};
  }
  entry.member = std::move(member);
  return entry;
}

const std::string& DeviceEntry::series() const {
  static const std::string own_node = "$(devnode)";
  if (container_path) return container_path->text();
  return host_path ? host_path->text() : own_node;
}

void DeviceEntry::want(WantedFacts& wanted, std::string_view of) const {
  if (host_path) host_path->want(wanted, of);
  if (container_path) container_path->want(wanted, of);
  if (links && host_path->sole_variable()->member == of) wanted.add(Fact::link);
}

const std::string& MountEntry::series() const {
  return container_path ? container_path->text() : host_path.text();
}

void MountEntry::want(WantedFacts& wanted, std::string_view member) const {
  host_path.want(wanted, member);
  if (container_path) container_path->want(wanted, member);
}

void EnvEntry::want(WantedFacts& wanted, std::string_view member) const {
  name.want(wanted, member);
  value.want(wanted, member);
}

void AnnotationEntry::want(WantedFacts& wanted, std::string_view member) const {
  name.want(wanted, member);
  value.want(wanted, member);
}

std::optional<DeviceEntry> compile_entry(const config::DeviceEntrySpec& spec,
                                         const TemplateRules& rules, EditsIn edits_in,
                                         config::Diagnostics& diagnostics) {
  auto host = Template::compile(spec.host_path, TextUse::path, rules, diagnostics);
  auto container = container_path(spec.container_path, rules, diagnostics);
  const bool permissions = check_permissions(spec, diagnostics);
  const bool links = host && check_links(spec, *host, rules, diagnostics);
  const auto access = compile_access(spec, edits_in, diagnostics);
  if (!host || !container || !permissions || !links || !access) return std::nullopt;
  DeviceEntry entry;
  drop_equal(*container, *host);
  entry.multiplicity = multiplicity_of(*host, *container);
  entry.host_path = std::move(host);
  entry.container_path = std::move(*container);
  if (spec.permissions) entry.permissions = ordered_permissions(spec.permissions->value);
  entry.access = *access;
  entry.links = spec.links.value;
  entry.optional = spec.optional.value;
  return entry;
}

std::optional<MountEntry> compile_entry(const config::MountSpec& spec, const TemplateRules& rules,
                                        config::Diagnostics& diagnostics) {
  auto host = Template::compile(spec.host_path, TextUse::path, rules, diagnostics);
  auto container = container_path(spec.container_path, rules, diagnostics);
  if (!host || !container) return std::nullopt;
  drop_equal(*container, *host);
  Multiplicity multiplicity = multiplicity_of(*host, *container);
  return MountEntry{std::move(*host), std::move(*container), spec.read_only, spec.optional,
                    std::move(multiplicity)};
}

std::optional<EnvEntry> compile_entry(const config::EnvSpec& spec, const TemplateRules& rules,
                                      config::Diagnostics& diagnostics) {
  const TemplateRules in_container = rules.in_container();
  auto name = Template::compile(spec.name, TextUse::env_name, in_container, diagnostics);
  auto value = Template::compile(spec.value, TextUse::value, in_container, diagnostics);
  const auto join = spec.join ? literal_fault(spec.join->value, TextUse::value) : std::nullopt;
  if (join) diagnostics.error(spec.join->at, *join, literal_hint(TextUse::value));
  if (!name || !value || join) return std::nullopt;
  Multiplicity multiplicity = multiplicity_of(*name, *value);
  return EnvEntry{std::move(*name), std::move(*value), spec.join ? spec.join->value : ",",
                  std::move(multiplicity)};
}

std::optional<AnnotationEntry> compile_entry(const config::AnnotationSpec& spec,
                                             const TemplateRules& rules,
                                             config::Diagnostics& diagnostics) {
  auto name = Template::compile(spec.name, TextUse::annotation_name, rules, diagnostics);
  auto value = Template::compile(spec.value, TextUse::value, rules, diagnostics);
  if (!name || !value) return std::nullopt;
  Multiplicity multiplicity = multiplicity_of(*name, *value);
  return AnnotationEntry{std::move(*name), std::move(*value), std::move(multiplicity)};
}

std::optional<CdiEntry> compile_cdi_name(const config::Located<std::string>& written,
                                         const TemplateRules& rules,
                                         config::Diagnostics& diagnostics) {
  auto name = Template::compile(written, TextUse::cdi_name, rules, diagnostics);
  if (!name) return std::nullopt;
  const Template* const one = &*name;
  Multiplicity multiplicity = Multiplicity::of({&one, 1});
  return CdiEntry{*std::move(name), std::move(multiplicity)};
}

}  // namespace patchbay::rules
