// Tests the edits of units that a ResourceClaim has by several requests.
#include <variant>

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

}  // namespace
}  // namespace patchbay::inventory
