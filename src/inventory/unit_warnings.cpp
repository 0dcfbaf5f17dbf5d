#include "inventory/unit_warnings.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

void add(UnitWarning& warning, const std::string& unit) {
  if (warning.count++ < UnitWarning::kMaxListedUnits) warning.units.push_back(unit);
}

}  // namespace

std::string empty_allocation_text(EmptyAllocation why, bool several) {
  return fmt::format("{} a container nothing ({}): {}", several ? "give" : "gives", cause_of(why),
                     advice_on(why));
}

std::string shared_node_text(const SharedNode& node) {
  std::string givers = node.units.size() == 1 ? fmt::format("unit '{}'", node.units.front())
                                              : fmt::format("{} units", node.units.size());
  if (!node.others.empty()) givers += " and by " + join(node.others, " and ");
  return fmt::format(
      "{} is given by {}, so several containers can have it: make one unit of them by: {}{}",
      printable(node.path), givers, node.variable, node.others.empty() ? "" : ", in one resource");
}

std::vector<UnitWarning> warnings_of(const ResolvedResource& resource) {
  std::array<UnitWarning, kEmptyAllocationKinds> by_kind;
  for (const Unit& unit : resource.snapshot->units) {
    if (unit.empty_allocation != EmptyAllocation::no) {
      add(by_kind.at(static_cast<size_t>(unit.empty_allocation)), unit.id);
    }
  }
  std::vector<UnitWarning> all;
  for (size_t kind = 0; kind < by_kind.size(); ++kind) {
    UnitWarning& warning = by_kind.at(kind);
    if (warning.count == 0) continue;
    const std::string units = warning.count == 1 ? fmt::format("unit '{}'", warning.units.front())
                                                 : fmt::format("{} units", warning.count);
    warning.reason =
        units + ' ' + empty_allocation_text(static_cast<EmptyAllocation>(kind), warning.count > 1);
    all.push_back(std::move(warning));
  }
  for (const SharedNode& node : resource.shared_nodes) {
    UnitWarning warning{.reason = shared_node_text(node)};
    for (const std::string& unit : node.units) add(warning, unit);
    all.push_back(std::move(warning));
  }
  return all;
}

}  // namespace patchbay::inventory
