#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"
#include "inventory/empty_allocation.h"
#include "inventory/unit_list.h"
#include "rules/plan.h"

namespace patchbay::inventory {

using rules::Captures;
using rules::Role;

/// One device of a unit, and how it was found.
struct UnitDevice {
  Role role = 0;
  DeviceFactsPtr facts;
  Captures captures;
  friend bool operator==(const UnitDevice& a, const UnitDevice& b);
};

/// What a unit is made of.
struct UnitMembers {
  size_t group = 0;  ///< Index into the resource's groups.
  std::string by;    ///< What the devices have in common; empty where the group does not say.
  std::vector<UnitDevice> devices;  ///< By role, then in natural order; role 0 is never missing.

  [[nodiscard]] std::span<const UnitDevice> of(Role role) const;
  /// The first of the devices that match which is a PCI function or below one; null: none is.
  [[nodiscard]] const DeviceFacts* pci_function() const;
  friend bool operator==(const UnitMembers& a, const UnitMembers& b) = default;
};

struct UnitChecks;

/// One unit of a resource: what the kubelet calls a device or, where it is shared, several.
struct Unit {
  std::string id;  ///< At most 63 characters of [A-Za-z0-9._:-].
  rules::IdSource id_source = rules::IdSource::written;
  std::vector<int> nodes{};  ///< NUMA nodes of the devices that match, of those online; sorted.
  size_t shares = 0;  ///< It is listed as `<id>::0` and so on, so often; 0: under its own id.
  EmptyAllocation empty_allocation = EmptyAllocation::no;
  bool healthy = true;
  std::string reason;                             ///< Why it is unhealthy; empty when healthy.
  std::chrono::steady_clock::time_point since{};  ///< Since when it is so.
  std::string last_reason{};  ///< Why it was unhealthy when it last was, if it is healthy again.
  std::shared_ptr<const UnitMembers> members;
  std::shared_ptr<const UnitChecks> checks;  ///< Null for one that is lost.

  /// How many of the kubelet's devices it is.
  [[nodiscard]] size_t listed() const { return shares == 0 ? 1 : shares; }
  /// The id of one of them.
  [[nodiscard]] std::string listed_id(size_t share) const;
  friend bool operator==(const Unit& a, const Unit& b);
};

/// One of the kubelet's devices.
struct ListedUnit {
  const Unit* unit = nullptr;
  size_t index = 0;             ///< Of the unit among the units.
  std::optional<size_t> share;  ///< Of a shared unit.
};

/// The unit with that id, of units in natural order of ids; the end if there is none.
[[nodiscard]] UnitList::Iterator find_unit(const UnitList& units, std::string_view id);

/// What the kubelet knows by that id, of units in natural order of ids; null if there is no such
/// thing.
[[nodiscard]] std::optional<ListedUnit> find_listed(const UnitList& units, std::string_view id);

/// Everything there is to know about one resource at one moment. Immutable; any thread.
struct Snapshot {
  rules::ResourcePlanPtr resource;  ///< By which it is offered; never null.
  UnitList units;                   ///< In natural order of ids, each id once.
  /// False: something that its rules look at does not answer, and there may be more units.
  bool complete = true;

  /// Whether the kubelet is told on which NUMA nodes units are: of all of them or of none, since
  /// one with nodes hides all that have none from it (kubelet contract 4.1).
  [[nodiscard]] bool reports_nodes() const;
  /// The NUMA nodes that the kubelet is told of the unit.
  [[nodiscard]] std::vector<int> reported_nodes(const Unit& unit) const {
    return reports_nodes() ? unit.nodes : std::vector<int>{};
  }
  /// The name of the member that devices of this role of the unit are; empty for what the group
  /// itself matches.
  [[nodiscard]] std::string_view role_name(const Unit& unit, Role role) const;
  /// The unit with that id, or null.
  [[nodiscard]] const Unit* find(std::string_view id) const;
  /// What the kubelet knows by that id; null if there is no such thing.
  [[nodiscard]] std::optional<ListedUnit> find_listed(std::string_view id) const {
    return inventory::find_listed(units, id);
  }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// "a::3" as "a" and 3; null for an id that is none of a shared unit.
struct ShareId {
  std::string_view unit;
  size_t share = 0;
};
[[nodiscard]] std::optional<ShareId> split_share_id(std::string_view id);

}  // namespace patchbay::inventory
