// Tests devices of running Pods while edits and replugs change the units. Runs the daemon's binary.
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "fake/http_client.h"
#include "fake/pod_resources_server.h"
#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

using fake::kGopher;
using fake::kHead;
using fake::kMole;

constexpr const char* kBadger = "example.com/badger";

class HeldUnitsTest : public fake::ReloadTest {
 protected:
  void start(const std::string& config) {
    pods_ = std::make_unique<fake::PodResourcesServer>(pod_resources());
    start_serving(config);
    ASSERT_TRUE(fake::wait_until([this] { return status()["podResources"]["state"] == "ready"; }));
  }
  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(fake::http_body(status_socket(), "/status"), nullptr, false);
  }
  /// Allocates the unit to a Pod.
  void run_pod(const std::string& resource, const std::string& unit) {
    pods_->hold({{"lab", "p", "c", resource, {unit}}});
    ASSERT_TRUE(kubelet_->allocate(resource, {unit}));
  }
  [[nodiscard]] std::string files(const std::string& name, const std::string& more) const {
    return "  - {name: example.com/" + name + ", match: {glob: " + (dir_ / "gophers/*") +
           ", type: file}, " + more + "}\n";
  }
  /// The reason of the first unit of the resource in the status.
  [[nodiscard]] std::string reason(const std::string& resource) const {
    const auto now = status();
    for (const auto& each : now["resources"]) {
      if (each["name"] == resource) return each["units"][0]["reason"];
    }
    return "no resource";
  }

  std::unique_ptr<fake::PodResourcesServer> pods_;
};

TEST_F(HeldUnitsTest, RenamedResourceDoesNotGiveADeviceToASecondPod) {
  start(kHead + files("gopher", "id: $(name)"));
  gophers_.plug("g2");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  run_pod(kGopher, "g1");
  edit(kHead + files("badger", "id: $(name)"));
  ASSERT_TRUE(kubelet_->wait_for(Kind::listed, kBadger));
  // Checks the first list, because the kubelet could use it at once.
  EXPECT_EQ(text_of(*kubelet_->history(kBadger).front().devices), "g1=Unhealthy g2=Healthy");
  EXPECT_EQ(kubelet_->allocate(kBadger, {"g1"}).error().message,
            "FAILED_PRECONDITION: unit 'g1' is unhealthy: allocated to Pod lab/p as 'g1' of "
            "example.com/gopher");
  EXPECT_TRUE(kubelet_->allocate(kBadger, {"g2"}));
  EXPECT_EQ(reason(kBadger), "allocated to Pod lab/p as 'g1' of example.com/gopher");
  EXPECT_TRUE(logs("unit is withheld: a Pod or ResourceClaim has its device"));
  pods_->hold({});
  EXPECT_TRUE(lists(kBadger, "g1=Healthy g2=Healthy"));
}

TEST_F(HeldUnitsTest, MovedAndRenamedDevicesAreWithheldWhileTheKubeletFails) {
  start(kHead + files("gopher", "id: $(name)") + files("mole", "id: $(name)"));
  run_pod(kGopher, "g1");
  ASSERT_TRUE(fake::wait_until([this] { return pods_->calls() > 0; }));
  pods_->refuse({grpc::StatusCode::RESOURCE_EXHAUSTED, "rejected by rate limit"});
  const size_t mark = kubelet_->log().size();
  edit(kHead + files("mole", "id: $(name)") + files("gopher", "id: $(name)"));
  EXPECT_TRUE(lists(kMole, "g1=Unhealthy", mark));
  EXPECT_TRUE(lists(kGopher, "", mark)) << "a device that moved is not lost";
  const auto moved = status();
  for (const auto& resource : moved["resources"]) {
    EXPECT_EQ(resource["lostUnits"], nlohmann::json::array()) << resource["name"];
  }
  EXPECT_THAT(fake::http_body(status_socket(), "/metrics"),
              testing::HasSubstr("patchbay_units_lost_total{resource=\"example.com/gopher\"} 0\n"));
  edit(kHead + files("mole", "id: my-$(name)"));
  EXPECT_TRUE(lists(kMole, "g1=Unhealthy my-g1=Unhealthy", mark));
}

TEST_F(HeldUnitsTest, UnpluggedUnitStaysUnhealthyUntilPodEnds) {
  start(kHead + files("gopher", "id: $(name), linger: 0s"));
  gophers_.plug("g2");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  run_pod(kGopher, "g1");
  // Waits until the daemon knows the Pod. Without linger, a device that is lost earlier is dropped.
  ASSERT_TRUE(fake::wait_until([this] { return status().dump().contains("\"allocatedTo\":[{"); }));
  const size_t mark = kubelet_->log().size();
  gophers_.unplug("g1");
  gophers_.unplug("g2");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy", mark));
  EXPECT_EQ(reason(kGopher), "the device is gone");
  pods_->hold({});
  EXPECT_TRUE(lists(kGopher, "", mark));
}

TEST_F(HeldUnitsTest, UnknownUnitHoldersAreLoggedAndNothingIsWithheld) {
  start_serving(kHead + files("gopher", "id: $(name)"));
  ASSERT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  edit(kHead + files("badger", "id: $(name)"));
  EXPECT_TRUE(lists(kBadger, "g1=Healthy"));
  EXPECT_TRUE(logs("unit holders are unknown: a device with a new name may be in use"));
}

TEST_F(HeldUnitsTest, LogsUnresponsiveKubeletAsReasonOfUnknownHolders) {
  pods_ = std::make_unique<fake::PodResourcesServer>(pod_resources());
  pods_->hang();
  start_serving(kHead + files("gopher", "id: $(name)"));
  edit(kHead + files("badger", "id: $(name)"));
  EXPECT_TRUE(
      logs(R"(a device with a new name may be in use","reason":"the kubelet did not answer within )"
           R"(500ms")"));
}

}  // namespace
}  // namespace patchbay
