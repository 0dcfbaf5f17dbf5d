#include "pods/allocation_tracker.h"

#include <gtest/gtest.h>

namespace patchbay::pods {
namespace {

using std::chrono::seconds;

constexpr AllocationTracker::Time kStart{std::chrono::hours(1)};
constexpr const char* kTty = "a.io/tty";

DeviceAllocation allocations(const std::string& device, const std::string& pod,
                             const std::string& container = "c",
                             const std::string& resource = kTty) {
  return {.resource = resource,
          .device = device,
          .container = std::make_shared<const status::Container>(
              status::Container{.pod_namespace = "default", .pod = pod, .name = container})};
}

/// The devices as "device pod/container@10 allocated@5; …", with seconds since the start.
std::string text_of(const AllocationTracker& devices) {
  const auto time = [](AllocationTracker::Time at) {
    return "@" + std::to_string(std::chrono::duration_cast<seconds>(at - kStart).count());
  };
  std::string text;
  for (const auto& [resource, its] : *devices.all()) {
    for (const auto& [id, device] : its) {
      text += (text.empty() ? "" : "; ") + (resource == kTty ? "" : resource + " ") + id;
      for (const auto& assignment : device.assignments) {
        text += " " + assignment.container->pod + "/" + assignment.container->name +
                time(assignment.since);
      }
      if (device.allocated) text += " allocated" + time(*device.allocated);
    }
  }
  return text;
}

class AllocationTrackerTest : public ::testing::Test {
 protected:
  void allocated(int at, const std::vector<std::string>& devices) {
    devices_.allocated(kTty, devices, kStart + seconds(at));
  }
  void take(int asked, const std::vector<DeviceAllocation>& all) {
    devices_.take(all, kStart + seconds(asked));
  }

  AllocationTracker devices_;
};

TEST_F(AllocationTrackerTest, WithoutAllocateSinceIsTimeOfFirstAnswer) {
  take(10, {allocations("u1", "p")});
  take(30, {allocations("u1", "p")});
  EXPECT_EQ(text_of(devices_), "u1 p/c@10");
}

TEST_F(AllocationTrackerTest, SinceIsTimeOfAllocate) {
  allocated(5, {"u1", "u2"});
  EXPECT_EQ(text_of(devices_), "u1 allocated@5; u2 allocated@5");
  take(6, {allocations("u1", "p"), allocations("u2", "p", "d")});
  EXPECT_EQ(text_of(devices_), "u1 p/c@5 allocated@5; u2 p/d@5 allocated@5");
}

TEST_F(AllocationTrackerTest, NewAllocateToTheSamePodNameResetsSince) {
  allocated(5, {"u1"});
  take(6, {allocations("u1", "p-0")});
  allocated(20, {"u1"});
  take(21, {allocations("u1", "p-0")});
  EXPECT_EQ(text_of(devices_), "u1 p-0/c@20 allocated@20");
}

TEST_F(AllocationTrackerTest, IgnoresAnswerToQueryBeforeAllocate) {
  take(10, {allocations("u1", "old")});
  allocated(12, {"u1"});
  take(11, {allocations("u1", "old")});
  EXPECT_EQ(text_of(devices_), "u1 old/c@10 allocated@12");
}

TEST_F(AllocationTrackerTest, KeepsAnAllocateThatTheKubeletDoesNotListYet) {
  allocated(5, {"u1"});
  take(6, {});
  EXPECT_EQ(text_of(devices_), "u1 allocated@5");
  take(15, {});
  EXPECT_EQ(text_of(devices_), "");
}

TEST_F(AllocationTrackerTest, DropsContainersThatReleasedTheDevice) {
  allocated(5, {"u1"});
  take(6, {allocations("u1", "p"), allocations("u2", "q")});
  take(20, {allocations("u2", "q")});
  EXPECT_EQ(text_of(devices_), "u2 q/c@6");
}

TEST_F(AllocationTrackerTest, ListsADeviceWithSeveralNumaNodesOnce) {
  take(1, {allocations("u1", "p"), allocations("u1", "p")});
  EXPECT_EQ(text_of(devices_), "u1 p/c@1");
}

TEST_F(AllocationTrackerTest, ContainersAreSorted) {
  take(1, {allocations("u1", "q", "b"), allocations("u1", "p"), allocations("u1", "q", "a")});
  EXPECT_EQ(text_of(devices_), "u1 p/c@1 q/a@1 q/b@1");
}

TEST_F(AllocationTrackerTest, ResourcesAreThoseWithAllocatedDevices) {
  take(1, {allocations("u1", "p"), allocations("u1", "q", "c", "b.io/x")});
  EXPECT_EQ(text_of(devices_), "u1 p/c@1; b.io/x u1 q/c@1");
  EXPECT_EQ(devices_.resources(), (ResourceNames{"a.io/tty", "b.io/x"}));
  take(2, {allocations("u1", "p")});
  EXPECT_EQ(devices_.resources(), ResourceNames{"a.io/tty"});
}

TEST_F(AllocationTrackerTest, DropsOldestUnlistedAllocateAboveLimit) {
  for (size_t i = 0; i <= AllocationTracker::kMaxPending; ++i) {
    allocated(static_cast<int>(i), {"u" + std::to_string(i)});
  }
  const auto all = devices_.all();
  EXPECT_EQ(all->at(kTty).size(), AllocationTracker::kMaxPending);
  EXPECT_FALSE(all->at(kTty).contains("u0"));
  EXPECT_TRUE(all->at(kTty).contains("u1"));
}

TEST_F(AllocationTrackerTest, ReturnedValueIsImmutable) {
  take(1, {allocations("u1", "p")});
  const auto before = devices_.all();
  EXPECT_EQ(devices_.all(), before);
  take(2, {});
  EXPECT_EQ(before->size(), 1U);
  EXPECT_TRUE(devices_.all()->empty());
}

}  // namespace
}  // namespace patchbay::pods
