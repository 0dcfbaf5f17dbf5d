#include "inventory/snapshot.h"

#include <algorithm>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::inventory {
namespace {

constexpr std::string_view kShareSeparator = "::";

template <typename T>
bool same_content(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

UnitList::UnitList(std::initializer_list<Unit> units) {
  units_.reserve(units.size());
  for (const Unit& unit : units) push_back(unit);
}

void UnitList::push_back(Unit unit) {
  units_.push_back(std::make_shared<const Unit>(std::move(unit)));
}

bool operator==(const UnitList& a, const UnitList& b) {
  return std::ranges::equal(a.units_, b.units_,
                            [](const UnitPtr& x, const UnitPtr& y) { return x == y || *x == *y; });
}

bool operator==(const UnitDevice& a, const UnitDevice& b) {
  return a.role == b.role && a.captures == b.captures && same_content(a.facts, b.facts);
}

std::span<const UnitDevice> UnitMembers::of(Role role) const {
  const auto range = std::ranges::equal_range(devices, role, {}, &UnitDevice::role);
  return {range.begin(), range.end()};
}

const DeviceFacts* UnitMembers::pci_function() const {
  const auto matched = of(0);
  const auto function = std::ranges::find_if(matched, [](const UnitDevice& device) {
    return device.facts->known.has(Fact::pci, "address");
  });
  return function == matched.end() ? nullptr : function->facts.get();
}

bool operator==(const Unit& a, const Unit& b) {
  return a.id == b.id && a.id_source == b.id_source && a.nodes == b.nodes && a.shares == b.shares &&
         a.empty_allocation == b.empty_allocation && !a.checks == !b.checks &&
         a.healthy == b.healthy && a.reason == b.reason && same_content(a.members, b.members);
}

std::string Unit::listed_id(size_t share) const {
  return shares == 0 ? id : id + std::string(kShareSeparator) + std::to_string(share);
}

std::optional<ShareId> split_share_id(std::string_view id) {
  const size_t at = id.rfind(kShareSeparator);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view digits = id.substr(at + kShareSeparator.size());
  const auto share = parse_whole<size_t>(digits);
  if (!share || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  return ShareId{id.substr(0, at), *share};
}

UnitList::Iterator find_unit(const UnitList& units, std::string_view id) {
  const auto at = std::ranges::lower_bound(units, id, natural_less, &Unit::id);
  return at != units.end() && at->id == id ? at : units.end();
}

std::optional<ListedUnit> Snapshot::find_listed(std::string_view id) const {
  const auto found = [&](UnitList::Iterator unit, std::optional<size_t> share) {
    return ListedUnit{&*unit, static_cast<size_t>(unit - units.begin()), share};
  };
  if (const auto unit = find_unit(units, id); unit != units.end() && unit->shares == 0) {
    return found(unit, {});
  }
  const auto split = split_share_id(id);
  const auto shared = split ? find_unit(units, split->unit) : units.end();
  if (shared == units.end() || split->share >= shared->shares) return std::nullopt;
  return found(shared, split->share);
}

bool Snapshot::reports_nodes() const {
  return resource->reports_topology &&
         std::ranges::none_of(units, [](const Unit& unit) { return unit.nodes.empty(); });
}

std::string_view Snapshot::role_name(const Unit& unit, Role role) const {
  const auto& members = resource->groups[unit.members->group].members;
  return role == 0 || role > members.size() ? std::string_view{} : members[role - 1].name;
}

SnapshotPtr replacing(const Snapshot& skipped, SnapshotPtr next) {
  if (!skipped.event_time || (next->event_time && *next->event_time <= *skipped.event_time)) {
    return next;
  }
  auto earlier = std::make_shared<Snapshot>(*next);
  earlier->event_time = skipped.event_time;
  return earlier;
}

const Unit* Snapshot::find(std::string_view id) const {
  const auto unit = find_unit(units, id);
  return unit == units.end() ? nullptr : &*unit;
}

}  // namespace patchbay::inventory
