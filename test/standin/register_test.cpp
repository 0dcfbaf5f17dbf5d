#include <chrono>
#include <future>
#include <thread>

#include "standin/standin_fixture.h"

namespace patchbay::standin {
namespace {

using fake::ClientRules;
using fake::FakeKubelet;
using fake::ScriptedPlugin;
using std::chrono::milliseconds;

/// The deadline of a call, long enough that the kubelet receives the call before. A test that waits
/// for the deadline takes that long.
constexpr milliseconds kLongEnough{3000};

class RegisterTest : public StandinTest {
 protected:
  FakeKubelet kubelet_{{.directory = directory()}};
};

TEST_F(RegisterTest, RequestsOptionsBeforeAnswerAndListAfterwards) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  plugin.send({"a", "b"});
  plugin.block_options(true);
  auto answer = std::async(std::launch::async, [&] { return plugin.register_as(kGpu); });
  ASSERT_TRUE(plugin.wait_for(PluginKind::options_asked));
  EXPECT_EQ(answer.wait_for(milliseconds(0)), std::future_status::timeout);
  EXPECT_EQ(plugin.count(PluginKind::stream_opened), 0U);
  plugin.block_options(false);
  EXPECT_TRUE(answer.get().ok());
  const auto list = kubelet_.wait_for(KubeletKind::listed, kGpu);
  ASSERT_TRUE(list);
  EXPECT_EQ(ids_of(*list), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(kubelet_.story(),
            "started\n"
            "accepted\n"
            "register_called example.com/gpu gpu.sock\n"
            "dialled example.com/gpu gpu.sock\n"
            "registered example.com/gpu gpu.sock\n"
            "stream_opened example.com/gpu gpu.sock\n"
            "listed example.com/gpu gpu.sock 2 devices\n");
}

TEST_F(RegisterTest, DialsWithAuthorityLocalhost) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  EXPECT_EQ(plugin.log().all().at(0).authority, "localhost");
}

TEST_F(RegisterTest, ChecksTheVersionFirst) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  const auto status = plugin.register_as("not a name", "v1alpha1");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(status.error_message(),
            "requested API version \"v1alpha1\" is not supported by kubelet. Supported version is "
            "[\"v1beta1\"]");
  EXPECT_EQ(plugin.log().size(), 0U);
}

TEST_F(RegisterTest, ChecksTheNameBeforeItDials) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  const auto status = plugin.register_as("foo.kubernetes.io/x");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(status.error_message(), "the ResourceName \"foo.kubernetes.io/x\" is invalid");
  EXPECT_EQ(kubelet_.count(KubeletKind::dialled), 0U);
  EXPECT_EQ(kubelet_.wait_for(KubeletKind::refused, "foo.kubernetes.io/x")->why,
            status.error_message());
}

TEST_F(RegisterTest, FailsIfNoPluginListens) {
  const std::string other = directory() + "2";
  const FakeKubelet hasty({.directory = other, .dial_timeout = milliseconds(300)});
  const ScriptedPlugin plugin(other, "gpu.sock");
  std::filesystem::remove(other + "/gpu.sock");
  const auto status = plugin.register_as(kGpu);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(status.error_message(),
            "failed to dial device plugin: no answer at " + other + "/gpu.sock");
}

TEST_F(RegisterTest, WaitsForASocketThatAppearsInTime) {
  FakeKubelet patient({.directory = directory() + "2"});
  // This plugin registers an endpoint that another plugin serves later.
  ScriptedPlugin early(directory() + "2", "late.sock");
  std::filesystem::remove(directory() + "2/late.sock");
  auto answer = std::async(std::launch::async, [&] { return early.register_as(kGpu); });
  ASSERT_TRUE(patient.wait_for(KubeletKind::register_called, kGpu));
  const ScriptedPlugin late(directory() + "2", "late.sock");
  EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(late.count(PluginKind::options_asked), 1U);
}

TEST_F(RegisterTest, RejectsPluginWhoseOptionsFail) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  plugin.set_options({}, {grpc::StatusCode::INTERNAL, "no idea"});
  const auto status = plugin.register_as(kGpu);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(status.error_message(), "failed to get device plugin options: INTERNAL: no idea");
  EXPECT_FALSE(kubelet_.allocate(kGpu, {"a"}));
  EXPECT_FALSE(kubelet_.options(kGpu));
  // Registers another plugin to give the kubelet time. The kubelet must not call the first plugin
  // again.
  ScriptedPlugin other(directory(), "nic.sock");
  other.send({"n"});
  ASSERT_TRUE(other.register_as(kNic).ok());
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::listed, kNic));
  EXPECT_EQ(plugin.count(PluginKind::stream_opened), 0U);
  EXPECT_EQ(plugin.count(PluginKind::options_asked), 1U);
}

TEST_F(RegisterTest, KeepsOptionsReadDuringRegister) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  v1beta1::DevicePluginOptions options;
  options.set_pre_start_required(true);
  plugin.set_options(options);
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  EXPECT_EQ(kubelet_.options(kGpu), (fake::PluginOptions{.pre_start_required = true,
                                                         .preferred_allocation_available = false}));
}

/// With these rules the kubelet continues although the call of the plugin has timed out.
TEST_F(StandinTest, RulesByNameFinishTimedOutRegister) {
  FakeKubelet kubelet({.directory = directory(), .rules = ClientRules::by_name});
  ScriptedPlugin plugin(directory(), "gpu.sock");
  plugin.block_options(true);
  EXPECT_EQ(plugin.register_as(kGpu, "v1beta1", kLongEnough).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  plugin.block_options(false);
  EXPECT_TRUE(plugin.wait_for(PluginKind::stream_opened));
}

TEST_F(RegisterTest, RulesByNameAndPathEndRegisterWithItsCaller) {
  ScriptedPlugin plugin(directory(), "gpu.sock");
  plugin.block_options(true);
  // The call ends by its deadline, or by the kubelet's answer at the same time.
  EXPECT_FALSE(plugin.register_as(kGpu, "v1beta1", kLongEnough).ok());
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::refused, kGpu));
  plugin.block_options(false);
  // The stream of a later registration is open before a missing stream counts.
  ScriptedPlugin other(directory(), "nic.sock");
  other.send({"n"});
  ASSERT_TRUE(other.register_as(kNic).ok());
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::listed, kNic));
  EXPECT_EQ(kubelet_.count(KubeletKind::registered, kGpu), 0U);
  EXPECT_EQ(plugin.count(PluginKind::stream_opened), 0U);
}

TEST_F(RegisterTest, StopsQuicklyDuringDial) {
  FakeKubelet patient({.directory = directory() + "2"});
  ScriptedPlugin plugin(directory() + "2", "gpu.sock");
  std::filesystem::remove(directory() + "2/gpu.sock");
  auto answer = std::async(std::launch::async, [&] { return plugin.register_as(kGpu); });
  ASSERT_TRUE(patient.wait_for(KubeletKind::register_called, kGpu));
  const auto before = std::chrono::steady_clock::now();
  patient.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, fake::kPatience / 2) << "a dial's time";
  EXPECT_FALSE(answer.get().ok());
}

}  // namespace
}  // namespace patchbay::standin
