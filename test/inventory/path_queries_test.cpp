#include "inventory/path_queries.h"

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PathState missing() { return {.exists = false, .node = fail("missing")}; }
PathState directory() { return {.exists = true, .node = fail("is not a device node")}; }
PathState device_node() { return {.exists = true, .node = DeviceNumber{.major = 1, .minor = 3}}; }

class PathQueriesTest : public testing::Test {
 protected:
  /// Host paths of the devices that a container with these units gets. A path whose state is
  /// unknown counts as existing.
  Strings answer(const std::string& devices, const Strings& ids = {"n"}) {
    Inventory inventory(plan_of(
        "  - {name: a.io/n, match: {static: [n, o]}, id: $(name), devices: [" + devices + "]}\n"));
    for (const char* name : {"n", "o"}) inventory.apply(shared(named(name)));
    const Snapshot& snapshot = *inventory.resolve(kStart).resources.at(0).snapshot;
    const auto allocation = allocate(snapshot, ids, [this](const std::string& path, bool device) {
      return paths_.exists(path, device);
    });
    EXPECT_TRUE(allocation) << allocation.error().message;
    Strings given;
    if (!allocation) return given;
    paths_.query_nodes(*allocation);
    for (const AllocatedDevice& device : allocation->devices) given.push_back(device.host_path);
    return given;
  }

  PathStates cached_;  ///< States that are known without a stat().
  PathQueries paths_{[this](const std::string& path) -> std::optional<PathState> {
    const auto known = cached_.find(path);
    if (known == cached_.end()) return std::nullopt;
    return known->second;
  }};
};

TEST_F(PathQueriesTest, CachedStatesNeedNoStat) {
  cached_.emplace("/dev/a", device_node());
  cached_.emplace("/dev/b", missing());
  EXPECT_THAT(answer("/dev/a, {hostPath: /dev/b, optional: true}"), ElementsAre("/dev/a"));
  EXPECT_THAT(paths_.unknown(), IsEmpty());
  EXPECT_EQ(paths_.node("/dev/a"), (DeviceNumber{.major = 1, .minor = 3}));
}

TEST_F(PathQueriesTest, OptionalDeviceThatIsDirectoryIsOmitted) {
  cached_.emplace("/dev/a", directory());
  EXPECT_THAT(answer("{hostPath: /dev/a, optional: true}"), IsEmpty());
}

TEST_F(PathQueriesTest, CollectsUnknownPathsInOneBatch) {
  const std::string devices =
      "/dev/a, {hostPath: /dev/b, optional: true}, {hostPath: /dev/c, optional: true}";
  answer(devices);
  EXPECT_THAT(paths_.unknown(), ElementsAre("/dev/a", "/dev/b", "/dev/c"));
  paths_.learn({{"/dev/a", device_node()}, {"/dev/b", device_node()}, {"/dev/c", missing()}});
  EXPECT_THAT(paths_.unknown(), IsEmpty());
  EXPECT_THAT(answer(devices), ElementsAre("/dev/a", "/dev/b"));
  EXPECT_THAT(paths_.unknown(), IsEmpty());
}

TEST_F(PathQueriesTest, MissingPathAddsUnknownPathOfNextUnit) {
  const std::string devices = "{hostPath: /dev/$(name)$(slot), optional: true}";
  answer(devices, {"n", "o"});
  EXPECT_THAT(paths_.unknown(), ElementsAre("/dev/n0", "/dev/o1"));
  paths_.learn({{"/dev/n0", missing()}, {"/dev/o1", device_node()}});
  answer(devices, {"n", "o"});
  EXPECT_THAT(paths_.unknown(), ElementsAre("/dev/o0")) << "unit o gets the free slot 0";
  paths_.learn({{"/dev/o0", device_node()}});
  EXPECT_THAT(answer(devices, {"n", "o"}), ElementsAre("/dev/o0"));
  EXPECT_THAT(paths_.unknown(), IsEmpty());
}

}  // namespace
}  // namespace patchbay::inventory
