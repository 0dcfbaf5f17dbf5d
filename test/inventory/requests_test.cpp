// Tests the edits of units that a ResourceClaim has by several requests.
#include <utility>
#include <variant>

#include <gmock/gmock.h>

#include "inventory/assemble.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

TEST(Requests, HaveAllEntriesEach_AndSlotsCountOverAll) {
  Inventory inventory(
      plan_of("  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(name)\n"
              "    devices: [{hostPath: $(devnode), containerPath: /dev/uart$(slot)}, /dev/fuse]\n"
              "    envs: {LAB: berlin}\n"));
  for (const std::string name : {"A", "B", "C"}) inventory.apply(shared(serial(name, name)));
  const Snapshot& snapshot = *inventory.resolve(kStart).resources.at(0).snapshot;
  const auto grant = [&](const std::string& unit, size_t request) {
    return Grant{.unit = snapshot.find(unit), .shares = {}, .request = request};
  };
  const std::vector<Grant> grants{grant("B", 0), grant("C", 0), grant("A", 1)};
  const auto edits = assemble(*snapshot.resource, grants, nullptr, Injection::all);
  ASSERT_TRUE(edits) << edits.error().message;
  Strings out;
  for (const Edit& edit : *edits) {
    const auto* node = std::get_if<AllocatedDevice>(&edit.what);
    out.push_back(std::to_string(edit.request) + ' ' + edit.unit->id + ' ' +
                  (node != nullptr ? node->container_path : std::get<NamedValue>(edit.what).name));
  }
  EXPECT_EQ(out, (Strings{"0 B /dev/uart0", "0 C /dev/uart1", "1 A /dev/uart2", "0 B /dev/fuse",
                          "1 A /dev/fuse", "0 B LAB", "1 A LAB"}));
}

/// "CONTAINER" or "NAME=VALUE" of each edit of adapters in one ResourceClaim, or the error.
Strings edits_with(const std::string& keys,
                   const std::vector<std::pair<std::string, Grant>>& given) {
  Inventory inventory(dra_plan_of(
      "  - name: a.io/uart\n    match: {subsystem: tty}\n    id: $(name)\n    serve: dra\n" +
      keys));
  for (const auto& [unit, grant] : given) inventory.apply(shared(serial(unit, unit)));
  const Resolution resolution = inventory.resolve(kStart);
  const Snapshot& snapshot = *resolution.resources.at(0).snapshot;
  std::vector<Grant> grants;
  for (const auto& [unit, grant] : given) {
    grants.push_back(grant);
    grants.back().unit = snapshot.find(unit);
    if (grants.back().unit == nullptr) return refusals(resolution);
  }
  const auto edits = assemble(*snapshot.resource, grants, nullptr, Injection::all);
  if (!edits) return {edits.error().message};
  Strings out;
  for (const Edit& edit : *edits) {
    if (const auto* node = std::get_if<AllocatedDevice>(&edit.what)) {
      out.push_back(node->container_path);
    } else if (const auto* mount = std::get_if<AllocatedMount>(&edit.what)) {
      out.push_back(mount->container_path);
    } else {
      const auto& value = std::get<NamedValue>(edit.what);
      out.push_back(value.name + '=' + value.value);
    }
  }
  return out;
}

Grant grant_of(size_t request, std::string_view claim, std::string_view request_name) {
  return {.unit = nullptr,
          .shares = {},
          .request = request,
          .claim = claim,
          .request_name = request_name};
}

/// Entries with these variables alone are not per unit, but per request.
TEST(Requests, NamePathsAndVariables) {
  EXPECT_EQ(
      edits_with("    devices:\n"
                 "      - {hostPath: $(devnode), containerPath: /dev/$(claim)-$(request)$(slot)}\n"
                 "    mounts: [{hostPath: /opt, containerPath: /opt/$(request)}]\n"
                 "    envs: {UART_$(claim): \"$(claim)/$(request)\", \"$(request)_UART\": $(id)}\n",
                 {{"A", grant_of(0, "gps-1", "fast")},
                  {"B", grant_of(0, "gps-1", "fast")},
                  {"C", grant_of(1, "gps-1", "slow")}}),
      (Strings{"/dev/gps-1-fast0", "/dev/gps-1-fast1", "/dev/gps-1-slow2", "/opt/fast", "/opt/slow",
               "fast_UART=A", "fast_UART=B", "slow_UART=C", "UART_gps_1=gps-1/fast",
               "UART_gps_1=gps-1/slow"}));
}

/// `discover` and `allocate` have no ResourceClaim.
TEST(Requests, WithoutOneTheVariablesAreTheirOwnNames) {
  EXPECT_EQ(edits_with("    devices: [{hostPath: $(devnode), containerPath: /dev/$(claim)}]\n"
                       "    envs: {A: $(request)}\n",
                       {{"A", {}}}),
            (Strings{"/dev/claim", "A=request"}));
}

/// The API server checks these names, but they come from the author of the Pod.
TEST(Requests, HostileNamesStayInTheirComponent) {
  const std::string path = "    devices: [{hostPath: $(devnode), containerPath: /dev/$(claim)}]\n";
  for (const char* name : {"../null", "a/b", "..", ".", ""}) {
    const Strings out = edits_with(path, {{"A", grant_of(0, name, "x")}});
    EXPECT_THAT(out, testing::ElementsAre(testing::HasSubstr("$(claim)"))) << name;
  }
  const std::string names = "    devices: []\n    envs: {\"$(claim)\": \"$(claim)\"}\n";
  EXPECT_EQ(edits_with(names, {{"A", grant_of(0, "a=b.c $(id)", "x")}}),
            (Strings{"a_b_c___id_=a=b.c $(id)"}));
  EXPECT_EQ(edits_with(names, {{"A", grant_of(0, "3d", "x")}}),
            (Strings{"'$(claim)' gives \"3d\", which begins with a digit"}));
}

}  // namespace
}  // namespace patchbay::inventory
