#include "dra/device.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "dra/attribute_value.h"
#include "dra/device_name.h"
#include "dra/hardware.h"
#include "inventory/unit_scope.h"
#include "rules/text/variable.h"

namespace patchbay::dra {
namespace {

class DeviceMaker {
 public:
  explicit DeviceMaker(std::string name) { made_.device.name = std::move(name); }

  void add(std::string_view attribute, Result<AttributeValue> value) {
    if (!value) return omit(attribute, std::move(value).error().message);
    if (made_.device.attributes.size() == rules::kMaxAttributes) {
      return omit(attribute,
                  fmt::format("a device has at most {} attributes", rules::kMaxAttributes));
    }
    made_.device.attributes.emplace(attribute, *std::move(value));
  }
  void add_text(std::string_view attribute, std::string text) {
    add(attribute, make_value(config::AttributeType::text, std::move(text)));
  }

  MadeDevice take() { return std::move(made_); }

 private:
  void omit(std::string_view attribute, std::string reason) {
    made_.omitted.push_back({std::string(attribute), std::move(reason)});
  }

  MadeDevice made_;
};

Result<AttributeValue> value_of(const rules::AttributePlan& attribute,
                                const rules::RenderScope& scope) {
  auto text = attribute.value.render(scope);
  if (!text) return std::unexpected(std::move(text).error());
  return make_value(attribute.type, *std::move(text));
}

}  // namespace

MadeDevice make_device(const rules::ResourcePlan& resource, const inventory::Unit& unit) {
  DeviceMaker maker(device_name(resource.name, unit.id));
  maker.add_text("resource", resource.name);
  maker.add_text("id", unit.id);
  for (auto& [attribute, text] : hardware_attributes(*unit.members)) {
    maker.add_text(attribute, std::move(text));
  }
  // A unit on several nodes is near to none of them.
  if (resource.reports_topology && unit.nodes.size() == 1) {
    maker.add("resource.kubernetes.io/numaNode", int64_t{unit.nodes.front()});
  }
  const inventory::UnitScope scope(resource, *unit.members, unit.id);
  for (const rules::AttributePlan& attribute : resource.groups[unit.members->group].attributes) {
    maker.add(attribute.name, value_of(attribute, scope.scope()));
  }
  return maker.take();
}

}  // namespace patchbay::dra
