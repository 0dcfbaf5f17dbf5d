#include "inventory/snapshot.h"

#include <algorithm>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

template <typename T>
bool same_content(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

bool operator==(const UnitMembers& a, const UnitMembers& b) {
  return a.group == b.group && a.captures == b.captures &&
         std::ranges::equal(a.devices, b.devices, same_content<DeviceFacts>);
}

bool operator==(const Unit& a, const Unit& b) {
  return a.id == b.id && a.healthy == b.healthy && a.reason == b.reason &&
         same_content(a.members, b.members);
}

const Unit* Snapshot::find(std::string_view id) const {
  const auto at = std::ranges::lower_bound(units, id, natural_less, &Unit::id);
  return at != units.end() && at->id == id ? &*at : nullptr;
}

}  // namespace patchbay::inventory
