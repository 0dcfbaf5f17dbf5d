#include "standin/kubelet.h"

#include "standin/kubelet_messages.h"
#include "standin/standin_fixture.h"

namespace patchbay::standin {
namespace {

using fake::EventLog;
using fake::ScriptedPlugin;

class KubeletTest : public StandinTest {
 protected:
  void start() {
    std::filesystem::create_directories(directory());
    auto kubelet = Kubelet::start(
        directory(),
        {.listed = [this](const auto& resource,
                          const auto& list) { log_.add(resource + " " + list.at(0).id); },
         .ended = [this](const auto& resource) { log_.add("- " + resource); }});
    ASSERT_TRUE(kubelet) << kubelet.error().message;
    kubelet_ = std::move(*kubelet);
  }

  bool wait_for(const std::string& line) {
    return log_.wait_for([&](const std::string& seen) { return seen == line; }).has_value();
  }

  EventLog<std::string> log_;
  std::unique_ptr<Kubelet> kubelet_;
};

TEST_F(KubeletTest, StartReportsFailure) {
  const std::string path = directory() + std::string(100, 'x') + "/kubelet.sock";
  const auto kubelet = Kubelet::start(directory() + std::string(100, 'x'), {});
  ASSERT_FALSE(kubelet);
  EXPECT_EQ(kubelet.error().message, "socket path " + path + " has " + std::to_string(path.size()) +
                                         " bytes, a unix socket takes 107");
}

TEST_F(KubeletTest, ReportsListsAndEndsOfStreams) {
  start();
  ScriptedPlugin plugin(directory(), "gpu.sock");
  plugin.send({"a"});
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  ASSERT_TRUE(wait_for("example.com/gpu a"));
  plugin.send({"b"});
  ASSERT_TRUE(wait_for("example.com/gpu b"));
  plugin.end_streams();
  ASSERT_TRUE(wait_for("- example.com/gpu"));
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  ASSERT_TRUE(log_.wait_until([](const auto& lines) { return lines.size() == 4; }));
  kubelet_.reset();
  EXPECT_EQ(log_.all(),
            (std::vector<std::string>{"example.com/gpu a", "example.com/gpu b", "- example.com/gpu",
                                      "example.com/gpu b", "- example.com/gpu"}));
}

TEST_F(KubeletTest, MayBeDestroyedDuringDial) {
  start();
  ScriptedPlugin plugin(directory(), "gpu.sock");
  std::filesystem::remove(directory() + "/gpu.sock");
  EXPECT_FALSE(plugin.register_as(kGpu, "v1beta1", std::chrono::milliseconds(300)).ok());
  kubelet_.reset();
  EXPECT_TRUE(log_.all().empty());
}

TEST(KubeletMessages, PrintAllocateAnswerAsJson) {
  v1beta1::ContainerAllocateResponse container;
  (*container.mutable_envs())["IDS"] = "a,b";
  (*container.mutable_annotations())["example.com/ids"] = "a";
  auto& device = *container.add_devices();
  device.set_container_path("/dev/in");
  device.set_host_path("/dev/out");
  device.set_permissions("rw");
  auto& mount = *container.add_mounts();
  mount.set_container_path("/in");
  mount.set_host_path("/out");
  mount.set_read_only(true);
  container.add_cdi_devices()->set_name("example.com/gpu=a");
  EXPECT_EQ(to_json_text(container), R"({
  "annotations": {
    "example.com/ids": "a"
  },
  "cdi_devices": [
    "example.com/gpu=a"
  ],
  "devices": [
    {
      "container_path": "/dev/in",
      "host_path": "/dev/out",
      "permissions": "rw"
    }
  ],
  "envs": {
    "IDS": "a,b"
  },
  "mounts": [
    {
      "container_path": "/in",
      "host_path": "/out",
      "read_only": true
    }
  ]
})");
}

}  // namespace
}  // namespace patchbay::standin
