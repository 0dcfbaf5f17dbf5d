#include "plugin/plugin_messages.h"

#include <algorithm>

#include "fake/facts.h"
#include "inventory/id_assigner.h"
#include "inventory/inventory_fixture.h"
#include "rules/plan/share.h"

namespace patchbay::plugin {
namespace {

using inventory::Strings;

/// A PCI function on a NUMA node, or without one if `node` is empty.
DeviceFacts function(const std::string& name, const std::string& node) {
  DeviceFacts facts;
  facts.key = "/sys/devices/pci0000:00/" + name;
  facts.name = name;
  facts.subsystem = "pci";
  fake::set(facts, Fact::numa_node, {node});
  return facts;
}

/// The snapshot of a resource with these keys, functions and online nodes.
inventory::SnapshotPtr snapshot(const std::vector<DeviceFacts>& functions,
                                const std::string& keys = "id: $(name)",
                                std::set<int> online = {0, 1}) {
  inventory::Inventory inventory(
      inventory::plan_of("  - name: a.io/f\n    match: {subsystem: pci}\n    " + keys + "\n"));
  inventory.set_online_nodes(std::move(online));
  for (const DeviceFacts& facts : functions) inventory.apply(inventory::shared(facts));
  return inventory.resolve(inventory::kStart).resources.at(0).snapshot;
}

/// The list as the kubelet decodes it.
v1beta1::ListAndWatchResponse to_list(const inventory::Snapshot& snapshot) {
  v1beta1::ListAndWatchResponse list;
  EXPECT_TRUE(list.ParseFromString(encode_list(snapshot)));
  return list;
}

/// The devices in the list: "id", "id@0,1" with nodes, or "id@" with a topology without nodes.
Strings listed(const inventory::Snapshot& snapshot) {
  Strings out;
  const auto list = to_list(snapshot);
  for (const auto& device : list.devices()) {
    out.push_back(device.id());
    if (!device.has_topology()) continue;
    Strings nodes;
    for (const auto& node : device.topology().nodes()) nodes.push_back(std::to_string(node.id()));
    out.back() += "@" + join(nodes, ",");
  }
  return out;
}

TEST(Topology, ListsNodesOfAllUnits) {
  EXPECT_EQ(listed(*snapshot({function("a", "0"), function("b", "1")})), (Strings{"a@0", "b@1"}));
}

TEST(Topology, IsListedOnlyIfAllUnitsHaveNodes) {
  EXPECT_EQ(listed(*snapshot({function("a", "0"), function("b", "")})), (Strings{"a", "b"}));
}

TEST(Topology, ListsOnlyOnlineNodes) {
  EXPECT_EQ(listed(*snapshot({function("a", "2")})), Strings{"a"});
  EXPECT_EQ(listed(*snapshot({function("a", "0")}, "id: $(name)", {})), Strings{"a"});
  for (const std::string bad : {"-1", "x", "99999999999", "1.5"}) {
    EXPECT_EQ(listed(*snapshot({function("a", bad)})), Strings{"a"}) << bad;
  }
}

TEST(Topology, UnitHasNodesOfAllItsDevices) {
  const auto both = snapshot({function("a", "1"), function("b", "0"), function("c", "1")},
                             "by: all\n    size: 1+\n    id: pair");
  EXPECT_EQ(listed(*both), Strings{"pair@0,1"});
}

/// The list as protobuf itself serializes it.
std::string as_protobuf_writes(const inventory::Snapshot& snapshot) {
  v1beta1::ListAndWatchResponse list;
  for (const inventory::Unit& unit : snapshot.units) {
    for (size_t share = 0; share < unit.listed(); ++share) {
      v1beta1::Device& device = *list.add_devices();
      device.set_id(unit.listed_id(share));
      device.set_health(unit.healthy ? "Healthy" : "Unhealthy");
      if (!snapshot.reports_nodes()) continue;
      for (const int node : unit.nodes) {
        device.mutable_topology()->add_nodes()->set_id(node);
      }
    }
  }
  return list.SerializeAsString();
}

TEST(EncodedList, EqualsSerializedMessage) {
  const std::string shares = "id: $(name)\n    share: {count: 1002}";
  for (const std::string& keys : {std::string("id: $(name)"), shares}) {
    // The third function has a node id of one byte, of two bytes, or none.
    for (const std::string third : {"0", "200", ""}) {
      auto units = *snapshot({function("a", "0"), function("b", "1"), function("c", third)}, keys,
                             {0, 1, 200});
      EXPECT_EQ(encode_list(units), as_protobuf_writes(units)) << keys << third;
      inventory::Unit second = units.units[1];
      inventory::Unit last = units.units[2];
      second.healthy = false;
      units.units = {units.units[0], second, last};
      EXPECT_EQ(encode_list(units), as_protobuf_writes(units)) << keys << third;
      // The length of a field above 127 bytes needs two bytes.
      second.id = std::string(200, 'b');
      last.nodes.insert(last.nodes.end(), 100, 1);
      units.units = {units.units[0], second, last};
      EXPECT_EQ(encode_list(units), as_protobuf_writes(units)) << keys << third;
    }
  }
}

TEST(EncodedList, ContainsEachShareOfSharedUnit) {
  auto units = *snapshot({function("a", "0"), function("b", "1"), function("c", "0")},
                         "id: $(name)\n    share: {count: 2}");
  inventory::Unit unhealthy = units.units[1];
  unhealthy.healthy = false;
  units.units = {units.units[0], unhealthy, units.units[2]};
  const auto list = to_list(units);
  ASSERT_EQ(list.devices_size(), 6);
  EXPECT_EQ(list.devices(3).id(), "b::1");
  EXPECT_EQ(list.devices(3).health(), "Unhealthy");
  EXPECT_EQ(list.devices(4).health(), "Healthy");
}

TEST(EncodedList, IsEmptyWithoutUnits) {
  auto units = *snapshot({function("a", "0")});
  units.units = {};
  EXPECT_EQ(encode_list(units), "");
}

TEST(Topology, ChangedNodesMakeANewList) {
  const auto on_0 = snapshot({function("a", "0")});
  EXPECT_FALSE(same_list(*on_0, *snapshot({function("a", "1")})));
  EXPECT_FALSE(same_list(*on_0, *snapshot({function("a", "")})));
  EXPECT_TRUE(same_list(*on_0, *snapshot({function("a", "0")})));
  // A difference that is not in the list makes no new list.
  EXPECT_TRUE(same_list(*snapshot({function("a", "0"), function("b", "")}),
                        *snapshot({function("a", "1"), function("b", "")})));
}

TEST(Topology, LargestListFitsKubeletLimit) {
  std::vector<DeviceFacts> functions;
  for (int i = 0; i < 2; ++i) {
    functions.push_back(function(std::string(55, 'x') + std::to_string(i), "1"));
  }
  const auto full = snapshot(functions, "id: $(name)\n    share: {count: 21845}");
  EXPECT_EQ(to_list(*full).devices_size(), static_cast<int>(inventory::kMaxUnits));
  inventory::Snapshot worst = *full;
  worst.units = {};
  for (inventory::Unit unit : full->units) {
    unit.healthy = false;
    worst.units.push_back(std::move(unit));
  }
  EXPECT_LE(encode_list(worst).size(), rules::kMaxKubeletMessageBytes);
}

TEST(PluginOptions, OfferPreferredAllocationOnlyIfSeveralIdsArePossible) {
  const auto offers = [](const std::string& keys) {
    const auto plan = inventory::plan_of("  - name: a.io/x\n" + keys);
    const inventory::Snapshot empty{.resource = plan->resources.at(0), .units = {}};
    return plugin_options(empty).get_preferred_allocation_available();
  };
  EXPECT_TRUE(offers("    match: {subsystem: pci}\n"));
  EXPECT_TRUE(offers("    match: {sysfs: /sys/bus/pci/devices/*}\n    id: $(name)\n"));
  EXPECT_TRUE(offers("    match: {static: [scope]}\n    share: {count: 2}\n"));
  EXPECT_FALSE(offers("    match: {glob: /dev/kvm}\n"));
  EXPECT_FALSE(offers("    match: {static: [scope]}\n"));
}

TEST(RequestSize, AllowsTheMaximumOfUnits) {
  v1beta1::PreferredAllocationRequest request;
  auto& container = *request.add_container_requests();
  for (size_t i = 0; i < inventory::kMaxUnits; ++i) {
    container.add_available_deviceids(std::string(63, 'x'));
    container.add_must_include_deviceids(std::string(63, 'x'));
  }
  EXPECT_LT(request.ByteSizeLong(), kMaxRequestBytes);
}

TEST(FormatIds, LimitsNumberOfIds) {
  EXPECT_EQ(format_ids({"a", "b"}), "a,b");
  const std::string text = format_ids(std::vector<std::string>(1000, "x"));
  EXPECT_LT(text.size(), 100U);
  EXPECT_TRUE(text.ends_with(",x,… and 968 more")) << text;
}

}  // namespace
}  // namespace patchbay::plugin
