#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dra/device.h"
#include "fake/facts.h"
#include "inventory/inventory_fixture.h"

/// Makes DRA devices from rules and from facts that a test writes.
namespace patchbay::dra {

using Strings = std::vector<std::string>;

inline constexpr const char* kDriver = "patchbay.lab.example.com";

/// An item of `dra.attributes`, as written.
struct Written {
  std::string name;
  std::string value;
  config::AttributeType type = config::AttributeType::text;
};

inline rules::AttributePlan compiled(const Written& written) {
  config::Diagnostics diagnostics;
  const rules::TemplateRules rules{
      .entity = {.kind = RuleKind::subsystem, .captures = Strings{}},
      .members = {{.name = "probe", .entity = {.kind = RuleKind::subsystem, .captures = {}}}},
      .stage = rules::RenderStage::sharing};
  auto value =
      rules::Template::compile({written.value, {}}, rules::TextUse::value, rules, diagnostics);
  EXPECT_TRUE(value) << config::render(diagnostics);
  return {.name = written.name, .type = written.type, .value = *std::move(value)};
}

/// Compiles a plan whose resources all have `serve: dra` and these attributes. `resources` is the
/// list below `resources:`, indented by two.
inline rules::PlanPtr dra_plan(const std::string& resources,
                               const std::vector<Written>& attributes = {}) {
  auto plan = std::make_shared<rules::Plan>(*inventory::plan_of(resources));
  plan->driver = kDriver;
  for (rules::ResourcePlanPtr& resource : plan->resources) {
    auto served = std::make_shared<rules::ResourcePlan>(*resource);
    served->serve = config::Serve::dra;
    for (rules::GroupPlan& group : served->groups) {
      for (const Written& written : attributes) group.attributes.push_back(compiled(written));
    }
    resource = std::move(served);
  }
  return plan;
}

/// The snapshots of a host with these devices, on NUMA nodes 0 and 1.
inline std::vector<inventory::SnapshotPtr> snapshots_of(const rules::PlanPtr& plan,
                                                        const std::vector<DeviceFacts>& devices) {
  inventory::Inventory inventory(plan);
  inventory.set_online_nodes({0, 1});
  for (const DeviceFacts& device : devices) inventory.apply(inventory::shared(device));
  return inventory::snapshots(inventory.resolve(inventory::kStart));
}

/// The first unit of the first resource as a DRA device.
inline MadeDevice device_of(const rules::PlanPtr& plan, const std::vector<DeviceFacts>& devices) {
  const auto snapshots = snapshots_of(plan, devices);
  if (snapshots.front()->units.empty()) {
    ADD_FAILURE() << "the rules make no unit";
    return {};
  }
  return make_device(*snapshots.front()->resource, snapshots.front()->units.front());
}

/// A USB serial adapter below a PCI host controller.
inline DeviceFacts adapter(const std::string& name, const std::string& serial) {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/tty/" + name;
  facts.name = name;
  facts.subsystem = "tty";
  facts.devnode = "/dev/" + name;
  fake::set(facts, Fact::usb, "vendor", {"0403"});
  fake::set(facts, Fact::usb, "product", {"6001"});
  fake::set(facts, Fact::usb, "socket", {"0000:00:14.0-usbv2-2"});
  if (!serial.empty()) fake::set(facts, Fact::usb, "serial", {serial});
  fake::set(facts, Fact::pci, "vendor", {"8086"});
  fake::set(facts, Fact::pci, "address", {"0000:00:14.0"});
  fake::set(facts, Fact::numa_node, {"0"});
  return facts;
}

/// "NAME: REASON" of each omitted attribute.
inline Strings omissions(const MadeDevice& made) {
  Strings lines;
  for (const Omitted& omitted : made.omitted) {
    lines.push_back(omitted.attribute + ": " + omitted.reason);
  }
  return lines;
}

}  // namespace patchbay::dra
