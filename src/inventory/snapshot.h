#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/facts.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

using rules::Captures;
using rules::Role;

/// One device of a unit, and how the unit got it. Role 0 is the group's own match; roles from 1 are
/// its members.
struct UnitDevice {
  Role role = 0;
  DeviceFactsPtr facts;
  Captures captures;
  friend bool operator==(const UnitDevice& a, const UnitDevice& b);
};

/// The devices of a unit.
struct UnitMembers {
  size_t group = 0;  ///< Index into the resource's groups.
  std::string by;    ///< The text that the devices have in common; empty for a group without `by`.
  std::vector<UnitDevice> devices;  ///< By role, then in natural order; role 0 is never missing.

  [[nodiscard]] std::span<const UnitDevice> of(Role role) const;
  /// The first device of role 0 that is a PCI function or below one; null if there is none.
  [[nodiscard]] const DeviceFacts* pci_function() const;
  friend bool operator==(const UnitMembers& a, const UnitMembers& b) = default;
};

/// Whether a unit gives a container nothing, and why.
enum class EmptyAllocation : uint8_t {
  no,  ///< The container gets something, or the configuration says that it gets nothing (`devices:
       ///< []`).
  usb_interface,
  network_interface,
  no_node,  ///< A kernel device of another kind, without a device node.
  directory,
  file,
};
inline constexpr size_t kEmptyAllocationKinds = 6;

struct UnitChecks;

using UnitName = std::pair<std::string, std::string>;  ///< Resource and id.

/// One unit of a resource. The kubelet knows it as one device, or as several if it is shared.
struct Unit {
  std::string id;  ///< At most 63 characters of [A-Za-z0-9._:-].
  rules::IdSource id_source = rules::IdSource::written;
  std::vector<int> nodes{};  ///< Online NUMA nodes of the matched devices; sorted.
  /// Number of shares, listed as `<id>::0` and so on. 0 if the unit is not shared, and is listed
  /// under its own id.
  size_t shares = 0;
  EmptyAllocation empty_allocation = EmptyAllocation::no;
  bool healthy = true;
  std::string reason;                             ///< Why it is unhealthy; empty when healthy.
  std::chrono::steady_clock::time_point since{};  ///< When the current state began.
  /// Why the unit was unhealthy last. Empty if it is unhealthy now, or never was unhealthy.
  std::string last_reason{};
  std::shared_ptr<const UnitMembers> members;
  std::shared_ptr<const UnitChecks> checks;  ///< Null for a lost unit.
  std::optional<size_t> failed_probe{};      ///< Health::failed_probe; null for a lost unit.

  /// The number of devices that the kubelet gets for the unit.
  [[nodiscard]] size_t listed() const { return shares == 0 ? 1 : shares; }
  /// The kubelet's id of one share, or of the unit if the unit is not shared.
  [[nodiscard]] std::string listed_id(size_t share) const;
  friend bool operator==(const Unit& a, const Unit& b);
};

using UnitPtr = std::shared_ptr<const Unit>;

/// A sequence of `const Unit&`. Lists share the objects of unchanged units, which are immutable. So
/// a new list with one changed unit costs a pointer for each other unit, and a comparison can skip
/// shared objects. Any thread may read.
class UnitList {
 public:
  using value_type = Unit;

  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Unit;
    using difference_type = std::ptrdiff_t;
    using pointer = const Unit*;
    using reference = const Unit&;

    Iterator() = default;
    explicit Iterator(const UnitPtr* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    reference operator[](difference_type n) const { return *at_[n]; }
    /// The unit as a pointer that can be shared.
    [[nodiscard]] const UnitPtr& shared() const { return *at_; }

    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend auto operator<=>(const Iterator&, const Iterator&) = default;

   private:
    const UnitPtr* at_ = nullptr;
  };
  using const_iterator = Iterator;
  using iterator = Iterator;

  UnitList() = default;
  /// No pointer may be null.
  explicit UnitList(std::vector<UnitPtr> units) : units_(std::move(units)) {}
  UnitList(std::initializer_list<Unit> units);

  void push_back(Unit unit);

  [[nodiscard]] Iterator begin() const { return Iterator(units_.data()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(units_.data() + units_.size()); }
  [[nodiscard]] size_t size() const { return units_.size(); }
  [[nodiscard]] bool empty() const { return units_.empty(); }
  [[nodiscard]] const Unit& operator[](size_t i) const { return *units_[i]; }
  [[nodiscard]] const Unit& at(size_t i) const { return *units_.at(i); }
  [[nodiscard]] const Unit& front() const { return *units_.front(); }
  [[nodiscard]] const Unit& back() const { return *units_.back(); }

  /// Whether both have the same unit objects.
  [[nodiscard]] bool shares_all_of(const std::vector<UnitPtr>& units) const {
    return units_ == units;
  }
  friend bool operator==(const UnitList& a, const UnitList& b);

 private:
  std::vector<UnitPtr> units_;
};

/// The unit, or the share of a unit, that has one of the kubelet's device ids.
struct ListedUnit {
  const Unit* unit = nullptr;
  size_t index = 0;             ///< Index of the unit in the list.
  std::optional<size_t> share;  ///< Set if the unit is shared.
};

/// Returns the unit with that id, or units.end(). `units` must be in natural order of ids.
[[nodiscard]] UnitList::Iterator find_unit(const UnitList& units, std::string_view id);

/// The state of one resource at one time: the list that the kubelet gets, with all data to answer
/// its calls. Immutable. Any thread.
struct Snapshot {
  using Time = std::chrono::steady_clock::time_point;

  rules::ResourcePlanPtr resource;  ///< The plan of the offer; never null.
  UnitList units;                   ///< In natural order of ids, without duplicates.
  /// False if a path that the resource's rules use does not answer, so that units may be missing.
  bool complete = true;
  /// When the first event that led to this snapshot was received. Null if no event led to it.
  std::optional<Time> event_time{};

  /// Whether NUMA nodes of units are reported to the kubelet. This needs a node for each unit,
  /// because units with nodes hide units without nodes (docs/dev/kubelet.md: NUMA nodes).
  [[nodiscard]] bool reports_nodes() const;
  /// The name of the member with this role; empty for the group's own devices.
  [[nodiscard]] std::string_view role_name(const Unit& unit, Role role) const;
  /// The unit with that id; null if there is none.
  [[nodiscard]] const Unit* find(std::string_view id) const;
  /// The unit or share with that device id of the kubelet; null if there is none.
  [[nodiscard]] std::optional<ListedUnit> find_listed(std::string_view id) const;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// Returns `next`, which is sent instead of `skipped`, with the earlier event time of the two.
[[nodiscard]] SnapshotPtr replacing(const Snapshot& skipped, SnapshotPtr next);

/// The id of a share, split: "a::3" is share 3 of unit "a".
struct ShareId {
  std::string_view unit;
  size_t share = 0;
};
[[nodiscard]] std::optional<ShareId> split_share_id(std::string_view id);

}  // namespace patchbay::inventory
