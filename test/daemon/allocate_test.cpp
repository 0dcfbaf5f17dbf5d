// Tests the kubelet's calls for a container against the running daemon.
#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

using fake::kGopher;

class AllocateTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    gophers_.plug("g1");
    gophers_.plug("g2");
    gophers_.plug("g10");
    start_kubelet();
    start_daemon(
        gophers_.config("  - name: example.com/null\n"
                        "    match: {glob: /dev/null}\n"
                        "    id: $(name)\n"
                        "    mounts: [{hostPath: /usr/lib, readOnly: false}]\n"
                        "    annotations: {example.com/unit: $(id)}\n"
                        "  - name: example.com/shared\n"
                        "    match: {glob: [/dev/zero, /dev/full]}\n"
                        "    id: $(name)\n"
                        "    share: {count: 2}\n"));
    ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy g10=Healthy"));
  }
  fake::Gophers gophers_{dir_};
};

TEST_F(AllocateTest, JoinsEnvOfAllUnitsInNaturalOrder) {
  const auto answer = kubelet_->allocate(kGopher, {"g10", "g2", "g1"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->DebugString(), "envs {\n  key: \"Gopher\"\n  value: \"g1,g2,g10\"\n}\n");
}

TEST_F(AllocateTest, ReturnsDeviceNodesMountsAndAnnotations) {
  ASSERT_TRUE(lists("example.com/null", "null=Healthy"));
  const auto answer = kubelet_->allocate("example.com/null", {"null"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->DebugString(), R"(mounts {
  container_path: "/usr/lib"
  host_path: "/usr/lib"
}
devices {
  container_path: "/dev/null"
  host_path: "/dev/null"
  permissions: "rw"
}
annotations {
  key: "example.com/unit"
  value: "null"
}
)");
}

/// By default, protobuf would print its error to stderr, on gRPC's thread and not as a log line.
TEST_F(AllocateTest, InvalidUtf8RequestIsLoggedInOneLine) {
  ASSERT_FALSE(kubelet_->allocate(kGopher, {"\xff"}));
  const auto line = daemon_->wait_for_line("contains invalid UTF-8 data");
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->starts_with(R"({"time":)")) << *line;
  EXPECT_NE(line->find(R"("level":"warning")"), std::string::npos) << *line;
  EXPECT_NE(line->find(R"("source":")"), std::string::npos) << *line;
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
}

TEST_F(AllocateTest, FailsForMissingOrUnhealthyUnit) {
  const auto unknown = kubelet_->allocate(kGopher, {"g1", "g99"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("g99"), std::string::npos) << unknown.error().message;
  gophers_.unplug("g2");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy g10=Healthy"));
  const auto lost = kubelet_->allocate(kGopher, {"g2"});
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("g2"), std::string::npos) << lost.error().message;
}

TEST_F(AllocateTest, AnswersOnceForEachContainerRequest) {
  v1beta1::AllocateRequest request;
  request.add_container_requests()->add_devices_ids("g1");
  request.add_container_requests()->add_devices_ids("g2");
  v1beta1::AllocateResponse response;
  const auto status =
      kubelet_->call(kGopher, &v1beta1::DevicePlugin::Stub::Allocate, request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.container_responses_size(), 2);
  EXPECT_EQ(response.container_responses(0).envs().at("Gopher"), "g1");
  EXPECT_EQ(response.container_responses(1).envs().at("Gopher"), "g2");
}

TEST_F(AllocateTest, RepeatedCallReturnsSameAnswer) {
  const auto first = kubelet_->allocate(kGopher, {"g1"});
  const auto again = kubelet_->allocate(kGopher, {"g1"});
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->SerializeAsString(), again->SerializeAsString());
}

TEST_F(AllocateTest, PreferredAllocationIncludesRequiredUnits) {
  const auto chosen = kubelet_->preferred_allocation(
      kGopher, {.available = {"g10", "g2", "g1"}, .must_include = {"g10"}, .size = 2});
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(*chosen, (std::vector<std::string>{"g1", "g10"}));
}

TEST_F(AllocateTest, SharedResourcePrefersLeastUsedUnit) {
  const std::string shared = "example.com/shared";
  ASSERT_TRUE(lists(shared, "full::0=Healthy full::1=Healthy zero::0=Healthy zero::1=Healthy"));
  const auto options = kubelet_->options(shared);
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->preferred_allocation_available);
  EXPECT_FALSE(kubelet_->options(kGopher)->preferred_allocation_available);
  const auto chosen = kubelet_->preferred_allocation(
      shared, {.available = {"full::1", "zero::1", "zero::0"}, .must_include = {}, .size = 1});
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(*chosen, std::vector<std::string>{"zero::0"});
}

TEST_F(AllocateTest, PreStartRejectsUnknownUnits) {
  EXPECT_TRUE(kubelet_->pre_start(kGopher, {"g1"}));
  const auto unknown = kubelet_->pre_start(kGopher, {"g99"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("g99"), std::string::npos) << unknown.error().message;
}

}  // namespace
}  // namespace patchbay
