#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inventory/empty_allocation.h"
#include "inventory/unit_list.h"
#include "model/facts.h"
#include "rules/plan/plan.h"

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

/// The devices that form a unit.
struct UnitMembers {
  size_t group = 0;  ///< Index into the resource's groups.
  std::string by;    ///< The text that the devices have in common; empty for a group without `by`.
  std::vector<UnitDevice> devices;  ///< By role, then in natural order; role 0 is never missing.

  [[nodiscard]] std::span<const UnitDevice> of(Role role) const;
  /// The first matched device that is a PCI function or below one; null: there is none.
  [[nodiscard]] const DeviceFacts* pci_function() const;
  friend bool operator==(const UnitMembers& a, const UnitMembers& b) = default;
};

struct UnitChecks;

using UnitName = std::pair<std::string, std::string>;  ///< Resource and id.

/// One unit of a resource. The kubelet knows it as one device, or as several if it is shared.
struct Unit {
  std::string id;  ///< At most 63 characters of [A-Za-z0-9._:-].
  rules::IdSource id_source = rules::IdSource::written;
  std::vector<int> nodes{};  ///< Online NUMA nodes of the matched devices; sorted.
  size_t shares = 0;  ///< Number of shares, listed as `<id>::0` and so on; 0: listed under its own
                      ///< id.
  EmptyAllocation empty_allocation = EmptyAllocation::no;
  bool healthy = true;
  std::string reason;                             ///< Why it is unhealthy; empty when healthy.
  std::chrono::steady_clock::time_point since{};  ///< When the current state began.
  std::string last_reason{};  ///< Why it was unhealthy last; empty if it is unhealthy or never was.
  std::shared_ptr<const UnitMembers> members;
  std::shared_ptr<const UnitChecks> checks;  ///< Null for a lost unit.
  std::optional<size_t> failed_probe{};      ///< Health::failed_probe; null for a lost unit.

  /// The number of the kubelet's devices that the unit has.
  [[nodiscard]] size_t listed() const { return shares == 0 ? 1 : shares; }
  /// The kubelet's id of one share.
  [[nodiscard]] std::string listed_id(size_t share) const;
  friend bool operator==(const Unit& a, const Unit& b);
};

/// One of the kubelet's devices.
struct ListedUnit {
  const Unit* unit = nullptr;
  size_t index = 0;             ///< Index of the unit in the list.
  std::optional<size_t> share;  ///< Set for a shared unit.
};

/// The unit with that id in a list in natural order of ids; the end if there is none.
[[nodiscard]] UnitList::Iterator find_unit(const UnitList& units, std::string_view id);

/// The kubelet's device with that id, in a list in natural order of ids; none if there is no such
/// device.
[[nodiscard]] std::optional<ListedUnit> find_listed(const UnitList& units, std::string_view id);

/// The complete state of one resource at one time. Immutable. Any thread.
struct Snapshot {
  using Time = std::chrono::steady_clock::time_point;

  rules::ResourcePlanPtr resource;  ///< The plan of the offer; never null.
  UnitList units;                   ///< In natural order of ids, without duplicates.
  /// False: a source that its rules use does not answer, so there may be more units.
  bool complete = true;
  /// When the first event that led to it was received. Null: no event led to it.
  std::optional<Time> event_time{};

  /// Whether NUMA nodes of units are reported to the kubelet. They are reported if all units have
  /// nodes: a unit with nodes hides all units without nodes from the kubelet
  /// (docs/dev/kubelet.md: NUMA nodes).
  [[nodiscard]] bool reports_nodes() const;
  /// The NUMA nodes of the unit that are reported to the kubelet.
  [[nodiscard]] std::vector<int> reported_nodes(const Unit& unit) const {
    return reports_nodes() ? unit.nodes : std::vector<int>{};
  }
  /// The name of the member with this role; empty for the group's own devices.
  [[nodiscard]] std::string_view role_name(const Unit& unit, Role role) const;
  /// The unit with that id, or null.
  [[nodiscard]] const Unit* find(std::string_view id) const;
  /// The kubelet's device with that id; none if there is no such device.
  [[nodiscard]] std::optional<ListedUnit> find_listed(std::string_view id) const {
    return inventory::find_listed(units, id);
  }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// `next`, which is sent in place of `skipped`: with the earlier event time of the two.
[[nodiscard]] SnapshotPtr replacing(const Snapshot& skipped, SnapshotPtr next);

/// "a::3" as "a" and 3; null for an id that is not of a share.
struct ShareId {
  std::string_view unit;
  size_t share = 0;
};
[[nodiscard]] std::optional<ShareId> split_share_id(std::string_view id);

}  // namespace patchbay::inventory
