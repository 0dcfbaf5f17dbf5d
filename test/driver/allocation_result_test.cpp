#include "driver/allocation_result.h"

#include <gmock/gmock.h>

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr AllocationQuery kQuery{.uid = "uid-1", .driver = "dra.lab.io", .pool = "node-1"};

/// A ResourceClaim as the API server sends it, with three of our devices.
Json allocated_claim() {
  return Json::parse(R"({
    "kind": "ResourceClaim",
    "apiVersion": "resource.k8s.io/v1",
    "metadata": {"name": "disk", "namespace": "lab", "uid": "uid-1", "resourceVersion": "7"},
    "spec": {"devices": {"requests": [{"name": "fast"}, {"name": "any"}, {"name": "spy"}]}},
    "status": {
      "allocation": {
        "devices": {
          "results": [
            {"request": "fast", "driver": "dra.lab.io", "pool": "node-1", "device": "zram-0"},
            {"request": "gpu", "driver": "gpu.vendor.io", "pool": "x/y", "device": "gpu-0"},
            {"request": "any/large", "driver": "dra.lab.io", "pool": "node-1", "device": "zram-1"},
            {"request": "spy", "driver": "dra.lab.io", "pool": "node-1", "device": "zram-1",
             "adminAccess": true}
          ],
          "config": [
            {"source": "FromClaim",
             "opaque": {"driver": "gpu.vendor.io", "parameters": {"sharing": "none"}}}
          ]
        },
        "nodeSelector": {}
      },
      "reservedFor": [
        {"resource": "pods", "name": "pod", "uid": "uid-2"},
        {"apiGroup": "lab.io", "resource": "benches", "name": "bench", "uid": "uid-3"},
        {"resource": "pods", "name": "other", "uid": "uid-4"}
      ]
    }
  })");
}

/// The error for a ResourceClaim in which a field is replaced; a null value removes it.
std::string error_with(const std::string& pointer, const Json& value) {
  const auto place = Json::json_pointer(pointer);
  Json claim = allocated_claim();
  if (value.is_null()) {
    claim.at(place.parent_pointer()).erase(place.back());
  } else {
    claim[place] = value;
  }
  const auto allocation = read_allocation(claim, kQuery);
  return allocation ? "none" : allocation.error().message;
}

TEST(ReadAllocation, ReturnsOurDevicesAndThePods) {
  const auto allocation = read_allocation(allocated_claim(), kQuery);
  ASSERT_TRUE(allocation) << allocation.error().message;
  EXPECT_THAT(
      allocation->devices,
      ElementsAre(AllocationResult{.request = "fast", .device = "zram-0"},
                  AllocationResult{.request = "any", .device = "zram-1"},
                  AllocationResult{.request = "spy", .device = "zram-1", .admin_access = true}));
  EXPECT_THAT(allocation->pods, ElementsAre(ClaimPod{.name = "pod", .uid = "uid-2"},
                                            ClaimPod{.name = "other", .uid = "uid-4"}));
}

/// A template gives the ResourceClaim a random name.
TEST(ReadAllocation, NameInPodIsThatOfTheAnnotation) {
  const auto claim_of = [](const Json& annotation) {
    Json claim = allocated_claim();
    claim["metadata"]["annotations"] = {{"resource.kubernetes.io/pod-claim-name", annotation}};
    const auto allocation = read_allocation(claim, kQuery);
    return allocation ? allocation->claim : allocation.error().message;
  };
  EXPECT_EQ(read_allocation(allocated_claim(), kQuery)->claim, "disk");
  EXPECT_EQ(claim_of("boot"), "boot");
  EXPECT_EQ(claim_of("0-a"), "0-a");
  EXPECT_EQ(claim_of(std::string(63, 'a')), std::string(63, 'a'));
  for (const char* text : {"", "-a", "a-", "A", "a.b", "a/b", "..", "a_b", "a b"}) {
    EXPECT_EQ(claim_of(text), "disk") << text;
  }
  EXPECT_EQ(claim_of(std::string(64, 'a')), "disk");
}

TEST(ReadAllocation, RejectsAnotherResourceClaimOfThatName) {
  EXPECT_EQ(error_with("/metadata/uid", "uid-9"),
            "ResourceClaim lab/disk: replaced by another ResourceClaim of this name; delete the "
            "Pod and create it again");
}

TEST(ReadAllocation, RejectsWhatIsBeingDeleted) {
  EXPECT_EQ(error_with("/metadata/deletionTimestamp", "2026-11-28T00:00:00Z"),
            "ResourceClaim lab/disk: being deleted; delete the Pod and create both again");
}

TEST(ReadAllocation, RejectsWhatIsNotAllocated) {
  const std::string error =
      "ResourceClaim lab/disk: not allocated; wait until the scheduler has allocated it";
  EXPECT_EQ(error_with("/status/allocation", nullptr), error);
  EXPECT_EQ(error_with("/status", nullptr), error);
}

TEST(ReadAllocation, RejectsWhatNoPodHasReserved) {
  const std::string error =
      "ResourceClaim lab/disk: reserved for no Pod; delete the Pod and create it again";
  EXPECT_EQ(error_with("/status/reservedFor", nullptr), error);
  EXPECT_EQ(error_with("/status/reservedFor", Json::array()), error);
}

/// Parameters of other drivers do not matter, see allocated_claim().
TEST(ReadAllocation, RejectsParametersForOurDriver) {
  EXPECT_EQ(error_with("/status/allocation/devices/config/0/opaque/driver", "dra.lab.io"),
            "ResourceClaim lab/disk: it has parameters for the driver dra.lab.io, which accepts "
            "none; remove 'config' from the ResourceClaim or its DeviceClass");
  EXPECT_EQ(error_with("/status/allocation/devices/config", nullptr), "none");
}

TEST(ReadAllocation, RejectsAnotherPool) {
  EXPECT_EQ(error_with("/status/allocation/devices/results/2/pool", "node-2"),
            "ResourceClaim lab/disk: the device zram-1 is in the pool 'node-2', but this node "
            "serves 'node-1'; delete the Pod and create it again");
}

TEST(ReadAllocation, RejectsAllocationsWithoutOurDevices) {
  const std::string error =
      "ResourceClaim lab/disk: no device of the driver dra.lab.io is allocated to it; delete the "
      "Pod and create it again";
  EXPECT_EQ(error_with("/status/allocation/devices/results", Json::array()), error);
  EXPECT_EQ(error_with("/status/allocation/devices/results", nullptr), error);
}

TEST(ReadAllocation, MalformedResponse_IsAnError) {
  const std::string begin = "response of the API server: malformed ResourceClaim (";
  EXPECT_THAT(error_with("/metadata", nullptr), StartsWith(begin));
  EXPECT_THAT(error_with("/metadata/uid", 7), StartsWith(begin));
  EXPECT_THAT(error_with("/status/allocation/devices", nullptr), StartsWith(begin));
  EXPECT_THAT(error_with("/status/allocation/devices/results/0/pool", nullptr), StartsWith(begin));
  EXPECT_THAT(error_with("/status/allocation/devices/results/0/adminAccess", "yes"),
              StartsWith(begin));
  EXPECT_THAT(error_with("/status/reservedFor/0/uid", nullptr), StartsWith(begin));
  EXPECT_THAT(error_with("/metadata/annotations", {{"resource.kubernetes.io/pod-claim-name", 7}}),
              StartsWith(begin));
  for (const char* text : {"null", "[]", "7", "{}"}) {
    const auto allocation = read_allocation(Json::parse(text), kQuery);
    ASSERT_FALSE(allocation) << text;
    EXPECT_THAT(allocation.error().message, StartsWith(begin)) << text;
  }
}

}  // namespace
}  // namespace patchbay::driver
