#include "inventory/path_queries.h"

#include <gmock/gmock.h>

#include "inventory/inventory_fixture.h"

namespace patchbay::inventory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PathState missing() { return {.exists = false, .node = fail("missing")}; }
PathState directory() { return {.exists = true, .node = fail("is not a device node")}; }
PathState there() { return {.exists = true, .node = DeviceNumber{.major = 1, .minor = 3}}; }

class PathQueriesTest : public testing::Test {
 protected:
  /// Host paths of the container's devices; an unknown path counts as existing.
  Strings answer(const std::string& devices) {
    Inventory inventory(plan_of("  - {name: a.io/n, match: {static: [n]}, id: $(name), devices: [" +
                                devices + "]}\n"));
    inventory.apply(shared(named("n")));
    const Snapshot& snapshot = *inventory.resolve(kStart).resources.at(0).snapshot;
    const Strings ids{"n"};
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

  PathStates at_once_;
  PathQueries paths_{[this](const std::string& path) -> std::optional<PathState> {
    const auto known = at_once_.find(path);
    if (known == at_once_.end()) return std::nullopt;
    return known->second;
  }};
};

TEST_F(PathQueriesTest, CachedStatesNeedNoStat) {
  at_once_.emplace("/dev/a", there());
  at_once_.emplace("/dev/b", missing());
  EXPECT_THAT(answer("/dev/a, {hostPath: /dev/b, optional: true}"), ElementsAre("/dev/a"));
  EXPECT_THAT(paths_.unknown(), IsEmpty());
  EXPECT_EQ(paths_.node("/dev/a"), (DeviceNumber{.major = 1, .minor = 3}));
}

TEST_F(PathQueriesTest, OptionalDirectoryIsNoDevice) {
  at_once_.emplace("/dev/a", directory());
  EXPECT_THAT(answer("{hostPath: /dev/a, optional: true}"), IsEmpty());
}

TEST_F(PathQueriesTest, CollectsUnknownPathsInOneBatch) {
  const std::string devices =
      "/dev/a, {hostPath: /dev/b, optional: true}, {hostPath: /dev/c, optional: true}";
  answer(devices);
  EXPECT_THAT(paths_.unknown(), ElementsAre("/dev/a", "/dev/b", "/dev/c"));
  paths_.learn({{"/dev/a", there()}, {"/dev/b", there()}, {"/dev/c", missing()}});
  EXPECT_THAT(paths_.unknown(), IsEmpty());
  EXPECT_THAT(answer(devices), ElementsAre("/dev/a", "/dev/b"));
  EXPECT_THAT(paths_.unknown(), IsEmpty());
}

TEST_F(PathQueriesTest, ResultsMayAddUnknownPaths) {
  const std::string devices = "{hostPath: /dev/a, containerPath: /dev/x$(slot), optional: true}";
  answer(devices);
  EXPECT_THAT(paths_.unknown(), ElementsAre("/dev/a"));
  paths_.learn({{"/dev/a", missing()}});
  EXPECT_THAT(answer(devices), IsEmpty());
  EXPECT_THAT(paths_.unknown(), IsEmpty());
}

}  // namespace
}  // namespace patchbay::inventory
