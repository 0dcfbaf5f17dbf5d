/// Tests how a FakeKubelet handles ListAndWatch. Like a real kubelet, it never calls the plugin
/// again after a stream has ended (docs/dev/kubelet.md: End of the stream).

#include <chrono>
#include <future>

#include "standin/standin_fixture.h"

namespace patchbay::standin {
namespace {

using fake::ClientRules;
using fake::FakeKubelet;
using fake::ScriptedPlugin;
using std::chrono::milliseconds;

class StreamTest : public StandinTest {
 protected:
  void register_gpu() {
    plugin_.send({"a"});
    ASSERT_TRUE(plugin_.register_as(kGpu).ok());
    ASSERT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu));
  }

  /// Expects that the kubelet closes the stream and makes no further call to this plugin. Registers
  /// another plugin to give the kubelet time.
  void expect_no_retry() {
    ASSERT_TRUE(plugin_.wait_for(PluginKind::stream_closed));
    ScriptedPlugin other(directory(), "nic.sock");
    other.send({"n"});
    ASSERT_TRUE(other.register_as(kNic).ok());
    ASSERT_TRUE(kubelet_.wait_for(KubeletKind::listed, kNic));
    EXPECT_EQ(plugin_.count(PluginKind::stream_opened), 1U);
    EXPECT_EQ(plugin_.count(PluginKind::options_asked), 1U);
    EXPECT_EQ(kubelet_.streams_open(kGpu), 0U);
    EXPECT_FALSE(kubelet_.allocate(kGpu, {"a"}));
  }

  FakeKubelet kubelet_{{.directory = directory()}};
  ScriptedPlugin plugin_{directory(), "gpu.sock"};
};

TEST_F(StreamTest, EveryMessageIsTheWholeList) {
  register_gpu();
  v1beta1::ListAndWatchResponse list;
  auto& sick = *list.add_devices();
  sick.set_id("b");
  sick.set_health("healthy");  // "Healthy" must have this case.
  sick.mutable_topology()->add_nodes();
  sick.mutable_topology()->add_nodes()->set_id(3);
  const size_t mark = kubelet_.log().size();
  plugin_.send(list);
  const auto event = kubelet_.wait_for(KubeletKind::listed, kGpu, mark);
  ASSERT_TRUE(event);
  EXPECT_EQ(*event->devices,
            (std::vector<ListedDevice>{{.id = "b", .healthy = false, .numa_nodes = {0, 3}}}));
  EXPECT_EQ(kubelet_.history(kGpu).size(), 2U);
  EXPECT_EQ(*kubelet_.latest(kGpu)->devices, *event->devices);
}

TEST_F(StreamTest, DoesNotRetryAfterACleanEnd) {
  register_gpu();
  plugin_.end_streams();
  EXPECT_EQ(kubelet_.wait_for(KubeletKind::ended, kGpu)->why, "the plugin ended the stream");
  expect_no_retry();
}

TEST_F(StreamTest, DoesNotRetryAfterAnError) {
  register_gpu();
  plugin_.end_streams({grpc::StatusCode::INTERNAL, "broken"});
  EXPECT_EQ(kubelet_.wait_for(KubeletKind::ended, kGpu)->why, "INTERNAL: broken");
  expect_no_retry();
}

TEST_F(StreamTest, EndsAtMessageAboveFourMebibytes) {
  register_gpu();
  plugin_.send(std::vector<std::string>(60'000, std::string(63, 'x')));
  const auto event = kubelet_.wait_for(KubeletKind::ended, kGpu);
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->why.starts_with("RESOURCE_EXHAUSTED: ")) << event->why;
  expect_no_retry();
}

TEST_F(StreamTest, EndOfStreamCancelsOpenCalls) {
  register_gpu();
  plugin_.block_allocate(true);
  auto answer = std::async(std::launch::async, [&] { return kubelet_.allocate(kGpu, {"a"}); });
  ASSERT_TRUE(plugin_.wait_for(PluginKind::allocate_called));
  plugin_.end_streams();
  const auto failed = answer.get();
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.starts_with("CANCELLED: ")) << failed.error().message;
}

TEST_F(StreamTest, EndsWhenPluginExits) {
  auto plugin = std::make_unique<ScriptedPlugin>(directory(), "nic.sock");
  ASSERT_TRUE(plugin->register_as(kNic).ok());
  ASSERT_TRUE(plugin->wait_for(PluginKind::stream_opened));
  plugin.reset();
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::ended, kNic));
}

TEST_F(StreamTest, SurvivesDeletedPluginSocket) {
  register_gpu();
  kubelet_.unlink_plugin_socket(kGpu);
  EXPECT_FALSE(std::filesystem::exists(directory() + "/gpu.sock"));
  const size_t mark = kubelet_.log().size();
  plugin_.send({"a", "b"});
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu, mark));
  EXPECT_TRUE(kubelet_.allocate(kGpu, {"a"}));
}

TEST_F(StreamTest, EndsQuicklyWhenKubeletStops) {
  register_gpu();
  plugin_.block_allocate(true);
  auto answer = std::async(std::launch::async, [&] { return kubelet_.allocate(kGpu, {"a"}); });
  ASSERT_TRUE(plugin_.wait_for(PluginKind::allocate_called));
  const auto before = std::chrono::steady_clock::now();
  kubelet_.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, fake::kPatience / 2)
      << "stop() waited for the blocked Allocate";
  EXPECT_TRUE(plugin_.wait_for(PluginKind::stream_cancelled));
  EXPECT_FALSE(answer.get());
  EXPECT_EQ(kubelet_.streams_open(), 0U);
}

}  // namespace
}  // namespace patchbay::standin
