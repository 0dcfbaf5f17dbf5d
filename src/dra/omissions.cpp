#include "dra/omissions.h"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dra/device.h"

namespace patchbay::dra {
namespace {

/// The units without one attribute, and why the first of them lacks it.
struct Omission {
  std::vector<std::string> units;
  size_t count = 0;
  std::string reason;
};

std::string text_of(const std::string& attribute, const Omission& omission) {
  const bool one = omission.count == 1;
  const std::string& first = omission.units.front();
  return fmt::format(
      "{} published without the attribute '{}' ({}{}): correct its template, or "
      "select by another attribute",
      one ? fmt::format("unit '{}' is", first) : fmt::format("{} units are", omission.count),
      attribute, one ? "" : fmt::format("'{}': ", first), omission.reason);
}

}  // namespace

std::vector<inventory::UnitWarning> omission_warnings(const inventory::Snapshot& snapshot) {
  if (snapshot.resource->serve != config::Serve::dra) return {};
  std::map<std::string, Omission> by_attribute;
  for (const inventory::Unit& unit : snapshot.units) {
    for (Omitted& omitted : make_device(*snapshot.resource, unit).omitted) {
      Omission& omission = by_attribute[omitted.attribute];
      if (omission.count++ == 0) omission.reason = std::move(omitted.reason);
      if (omission.count <= inventory::UnitWarning::kMaxListedUnits) {
        omission.units.push_back(unit.id);
      }
    }
  }
  std::vector<inventory::UnitWarning> warnings;
  for (auto& [attribute, omission] : by_attribute) {
    std::string reason = text_of(attribute, omission);
    warnings.push_back(
        {.reason = std::move(reason), .units = std::move(omission.units), .count = omission.count});
  }
  return warnings;
}

}  // namespace patchbay::dra
