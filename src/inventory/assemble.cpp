#include "inventory/assemble.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "inventory/unit_scope.h"

namespace patchbay::inventory {
namespace {

/// An entry of any list of a group. Never null.
using AnyEntry =
    std::variant<const rules::DeviceEntry*, const rules::MountEntry*, const rules::EnvEntry*,
                 const rules::AnnotationEntry*, const rules::CdiEntry*>;

const std::string& series_of(const AnyEntry& entry) {
  return std::visit([](const auto* of) -> const std::string& { return of->series(); }, entry);
}

const rules::Multiplicity& multiplicity_of(const AnyEntry& entry) {
  return std::visit([](const auto* of) -> const rules::Multiplicity& { return of->multiplicity; },
                    entry);
}

bool equivalent_values(const AnyEntry& a, const AnyEntry& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&](const auto* of) { return *of == *std::get<decltype(of)>(b); }, a);
}

/// One use of an entry: for one binding of a unit, or once per container.
struct Repetition {
  AnyEntry entry;
  const Grant* grant = nullptr;
  Binding binding;
  size_t rank = 0;  ///< Index of the entry's series in its group.
};

/// The repetitions of all entries with one name or container path, as written. `$(slot)` numbers
/// them.
using Series = std::vector<Repetition>;

/// Renders the edits of one container. One instance renders once.
class Assembler {
 public:
  Assembler(const rules::ResourcePlan& resource, const PathExists& path_exists, Injection injection)
      : resource_(resource), path_exists_(path_exists), injection_(injection) {}

  Result<std::vector<Edit>> run(std::span<const Grant> grants);

 private:
  /// Adds every entry of some lists of the groups once per binding. The order is by series, in the
  /// order of the entries. In a series it is by entry, then by unit, also for units of several
  /// groups. An entry that does not depend on the unit is added once for each request, also when
  /// several groups have an equal one.
  template <typename... Entries>
  Result<std::vector<Series>> repetitions(std::span<const Grant> grants,
                                          std::vector<Entries> rules::GroupPlan::*... lists) const;
  /// Adds the entries of the lists whose names or container paths have one kind.
  template <typename... Entries>
  Result<void> add_all(std::span<const Grant> grants,
                       std::vector<Entries> rules::GroupPlan::*... lists);
  /// Adds one repetition. False: the repetition is omitted and uses no slot.
  Result<bool> add(const rules::DeviceEntry& entry, const UnitScope& unit);
  Result<bool> add(const rules::MountEntry& entry, const UnitScope& unit);
  Result<bool> add(const rules::EnvEntry& entry, const UnitScope& unit) {
    return add_value(NamedValue::Kind::env, entry, entry.join, unit);
  }
  Result<bool> add(const rules::AnnotationEntry& entry, const UnitScope& unit) {
    return add_value(NamedValue::Kind::annotation, entry, ",", unit);
  }
  Result<bool> add(const rules::CdiEntry& entry, const UnitScope& unit);
  Result<bool> add_value(NamedValue::Kind kind, const auto& entry, const std::string& join,
                         const UnitScope& unit);
  /// Whether the device or mount is in the CDI spec of its unit.
  [[nodiscard]] bool in_spec(const auto& entry) const {
    return resource_.groups[unit_->members->group].writes_cdi && !entry.optional;
  }
  /// Adds a device or mount.
  void add_node(auto node) {
    const bool by_name = injection_ == Injection::answer && in_spec(node);
    edits_.push_back({.unit = unit_,
                      .what = std::move(node),
                      .cdi_device = by_name ? resource_.name + '=' + unit_->id : ""});
  }

  const rules::ResourcePlan& resource_;
  const PathExists& path_exists_;
  Injection injection_;
  const Unit* unit_ = nullptr;  ///< The unit whose entries are being added.
  std::vector<Edit> edits_;
};

/// The device's own node. Empty: the device has no node.
Result<std::string> own_node(const DeviceFacts& device) {
  const bool is_path = device.kind == DeviceKind::path;
  if (is_path && !device.number) return std::string{};
  std::string node = is_path ? device.key : device.devnode;
  if (node.empty()) return node;
  return rules::safe_value({is_path ? Fact::path : Fact::devnode}, std::move(node),
                           rules::TextUse::path);
}

Result<bool> Assembler::add(const rules::DeviceEntry& entry, const UnitScope& unit) {
  if (injection_ == Injection::spec && !in_spec(entry)) return false;
  if (!entry.host_path && !unit.is_first_form(entry.member)) return false;
  const auto host = entry.host_path ? entry.host_path->render(unit.scope())
                                    : own_node(*unit.device(entry.member));
  if (!host) return std::unexpected(host.error());
  if (host->empty() || (entry.optional && !path_exists_(*host, true))) return false;
  const auto container = entry.container_path ? entry.container_path->render(unit.scope()) : host;
  if (!container) return std::unexpected(container.error());
  const auto add_at = [&](const std::string& path) {
    add_node(AllocatedDevice{*host, path, entry.permissions, entry.optional, entry.access});
  };
  add_at(*container);
  if (!entry.links) return true;
  const DeviceFacts& linked = *unit.device(entry.host_path->sole_variable()->member);
  for (const std::string_view link : linked.known.of(Fact::link)) {
    const auto safe = rules::safe_value({Fact::link, "*"}, std::string(link), rules::TextUse::path);
    if (!safe) return std::unexpected(safe.error());
    add_at(*safe);
  }
  return true;
}

Result<bool> Assembler::add(const rules::MountEntry& entry, const UnitScope& unit) {
  if (injection_ == Injection::spec && !in_spec(entry)) return false;
  auto host = entry.host_path.render(unit.scope());
  if (!host) return std::unexpected(host.error());
  if (entry.optional && !path_exists_(*host, false)) return false;
  auto container = entry.container_path ? entry.container_path->render(unit.scope()) : host;
  if (!container) return std::unexpected(container.error());
  add_node(
      AllocatedMount{*std::move(host), *std::move(container), entry.read_only, entry.optional});
  return true;
}

Result<bool> Assembler::add_value(NamedValue::Kind kind, const auto& entry, const std::string& join,
                                  const UnitScope& unit) {
  auto name = entry.name.render(unit.scope());
  if (!name) return std::unexpected(name.error());
  auto value = entry.value.render(unit.scope());
  if (!value) return std::unexpected(value.error());
  edits_.push_back({unit_, NamedValue{kind, *std::move(name), *std::move(value), join}});
  return true;
}

Result<bool> Assembler::add(const rules::CdiEntry& entry, const UnitScope& unit) {
  auto name = entry.name.render(unit.scope());
  if (!name) return std::unexpected(name.error());
  edits_.push_back({unit_, CdiName{*std::move(name)}});
  return true;
}

template <typename... Entries>
Result<std::vector<Series>> Assembler::repetitions(
    std::span<const Grant> grants, std::vector<Entries> rules::GroupPlan::*... lists) const {
  std::vector<Series> all;
  std::map<std::string_view, size_t> index;
  for (const Grant& grant : grants) {
    const rules::GroupPlan& group = resource_.groups[grant.unit->members->group];
    std::vector<AnyEntry> entries;
    const auto append = [&](const auto& list) {
      for (const auto& entry : list) entries.emplace_back(&entry);
    };
    (append(group.*lists), ...);
    std::map<std::string_view, size_t> ranks;
    for (const AnyEntry& entry : entries) {
      const std::string& name = series_of(entry);
      const auto [at, is_new] = index.emplace(name, all.size());
      if (is_new) all.emplace_back();
      Series& series = all[at->second];
      const size_t rank = ranks[name]++;
      const auto same = [&](const Repetition& other) {
        return other.grant->request == grant.request && equivalent_values(other.entry, entry);
      };
      const rules::Multiplicity& multiplicity = multiplicity_of(entry);
      if (!multiplicity.per_unit && std::ranges::any_of(series, same)) continue;
      const auto bindings = bindings_of(group, multiplicity, grant);
      if (!bindings) return fail(fmt::format("'{}'", name), bindings.error());
      for (const Binding& binding : *bindings) series.push_back({entry, &grant, binding, rank});
    }
  }
  for (Series& series : all) std::ranges::stable_sort(series, {}, &Repetition::rank);
  return all;
}

template <typename... Entries>
Result<void> Assembler::add_all(std::span<const Grant> grants,
                                std::vector<Entries> rules::GroupPlan::*... lists) {
  const auto all = repetitions(grants, lists...);
  if (!all) return std::unexpected(all.error());
  for (const Series& series : *all) {
    size_t slot = 0;
    for (const auto& [entry, grant, binding, rank] : series) {
      UnitScope unit(resource_, *grant->unit->members, grant->unit->id);
      unit.choose(binding.role, binding.index);
      unit_ = grant->unit;
      unit.set_unit(static_cast<size_t>(grant - grants.data()));
      unit.set_slot(slot);
      unit.set_share(binding.share, grant->shares.size());
      unit.set_claim(grant->claim, grant->request_name);
      const size_t before = edits_.size();
      const Result<bool> added = std::visit([&](const auto* of) { return add(*of, unit); }, entry);
      for (Edit& edit : std::span(edits_).subspan(before)) edit.request = grant->request;
      if (!added && grants.size() == 1) return std::unexpected(added.error());
      if (!added) return fail(fmt::format("unit '{}'", grant->unit->id), added.error());
      if (*added) ++slot;
    }
  }
  return {};
}

Result<std::vector<Edit>> Assembler::run(std::span<const Grant> grants) {
  auto added = add_all(grants, &rules::GroupPlan::devices, &rules::GroupPlan::mounts);
  if (injection_ != Injection::spec) {
    if (added) added = add_all(grants, &rules::GroupPlan::envs);
    if (added) added = add_all(grants, &rules::GroupPlan::annotations);
    if (added) added = add_all(grants, &rules::GroupPlan::cdi_names);
  }
  if (!added) return std::unexpected(added.error());
  return std::move(edits_);
}

}  // namespace

Result<std::vector<Edit>> assemble(const rules::ResourcePlan& resource,
                                   std::span<const Grant> units, const PathExists& path_exists,
                                   Injection injection) {
  return Assembler(resource, path_exists, injection).run(units);
}

}  // namespace patchbay::inventory
