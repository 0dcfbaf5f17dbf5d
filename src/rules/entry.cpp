#include "rules/entry.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

using OptionalPath = std::optional<config::Located<std::string>>;

/// A container path, if it was written; null only on a mistake.
std::optional<std::optional<Template>> container_path(const OptionalPath& written,
                                                      const TemplateRules& rules,
                                                      config::Diagnostics& diagnostics) {
  if (!written) return std::optional<Template>{};
  auto compiled = Template::compile(*written, TextUse::path, rules, diagnostics);
  if (!compiled) return std::nullopt;
  return compiled;
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
                      "any of r (read), w (write), m (mknod), each once");
  }
  return good;
}

/// `links` are of the matched device, so its node must be what is given.
bool check_links(const config::DeviceEntrySpec& spec, const Template& host_path,
                 const TemplateRules& rules, config::Diagnostics& diagnostics) {
  if (!spec.links.value) return true;
  if (rules.kind == RuleKind::glob) {
    diagnostics.error(spec.links.at, "'links' is not known in a glob rule",
                      "only devices that are found by subsystem: or sysfs: have udev links");
    return false;
  }
  if (host_path.is_only(Variable::devnode) || host_path.is_only(Variable::link)) return true;
  diagnostics.error(spec.links.at, "'links' needs the device's own node as hostPath",
                    "write hostPath: $(devnode)");
  return false;
}

bool per_unit(const Template& a, const std::optional<Template>& b) {
  return a.per_unit() || (b && b->per_unit());
}

}  // namespace

const std::string& DeviceEntry::series() const {
  static const std::string own_node = "$(devnode)";
  if (container_path) return container_path->text();
  return host_path ? host_path->text() : own_node;
}

void DeviceEntry::want(WantedFacts& wanted) const {
  if (host_path) host_path->want(wanted);
  if (container_path) container_path->want(wanted);
  wanted.links = wanted.links || links;
}

const std::string& MountEntry::series() const {
  return container_path ? container_path->text() : host_path.text();
}

void MountEntry::want(WantedFacts& wanted) const {
  host_path.want(wanted);
  if (container_path) container_path->want(wanted);
}

void EnvEntry::want(WantedFacts& wanted) const {
  name.want(wanted);
  value.want(wanted);
}

void AnnotationEntry::want(WantedFacts& wanted) const {
  name.want(wanted);
  value.want(wanted);
}

std::optional<DeviceEntry> compile_entry(const config::DeviceEntrySpec& spec,
                                         const TemplateRules& rules,
                                         config::Diagnostics& diagnostics) {
  auto host = Template::compile(spec.host_path, TextUse::path, rules, diagnostics);
  auto container = container_path(spec.container_path, rules, diagnostics);
  const bool permissions = check_permissions(spec, diagnostics);
  const bool links = host && check_links(spec, *host, rules, diagnostics);
  if (!host || !container || !permissions || !links) return std::nullopt;
  DeviceEntry entry;
  entry.per_unit = per_unit(*host, *container) || spec.links.value;
  entry.host_path = std::move(host);
  entry.container_path = std::move(*container);
  if (spec.permissions) entry.permissions = spec.permissions->value;
  entry.links = spec.links.value;
  entry.optional = spec.optional.value;
  return entry;
}

std::optional<MountEntry> compile_entry(const config::MountSpec& spec, const TemplateRules& rules,
                                        config::Diagnostics& diagnostics) {
  auto host = Template::compile(spec.host_path, TextUse::path, rules, diagnostics);
  auto container = container_path(spec.container_path, rules, diagnostics);
  if (!host || !container) return std::nullopt;
  const bool each = per_unit(*host, *container);
  return MountEntry{std::move(*host), std::move(*container), spec.read_only, each};
}

std::optional<EnvEntry> compile_entry(const config::EnvSpec& spec, const TemplateRules& rules,
                                      config::Diagnostics& diagnostics) {
  auto name = Template::compile(spec.name, TextUse::env_name, rules, diagnostics);
  auto value = Template::compile(spec.value, TextUse::value, rules, diagnostics);
  const auto join = spec.join ? literal_fault(spec.join->value, TextUse::value) : std::nullopt;
  if (join) diagnostics.error(spec.join->at, *join);
  if (!name || !value || join) return std::nullopt;
  const bool each = per_unit(*name, value);
  return EnvEntry{std::move(*name), std::move(*value), spec.join ? spec.join->value : ",", each};
}

std::optional<AnnotationEntry> compile_entry(const config::AnnotationSpec& spec,
                                             const TemplateRules& rules,
                                             config::Diagnostics& diagnostics) {
  auto name = Template::compile(spec.name, TextUse::annotation_name, rules, diagnostics);
  auto value = Template::compile(spec.value, TextUse::value, rules, diagnostics);
  if (!name || !value) return std::nullopt;
  const bool each = per_unit(*name, value);
  return AnnotationEntry{std::move(*name), std::move(*value), each};
}

}  // namespace patchbay::rules
