#include "inventory/unit_list.h"

#include <algorithm>

#include "inventory/snapshot.h"

namespace patchbay::inventory {

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

}  // namespace patchbay::inventory
