#include "standin/kubelet.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "standin/socket_directory.h"
#include "standin/standin_fixture.h"

namespace patchbay::standin {
namespace {

using fake::EventLog;
using fake::ScriptedPlugin;

/// The errno of connecting to `path`; 0: a listener exists.
int connect_error(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(&address.sun_path, path.c_str(), path.size() + 1);
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* general = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(fd.get(), general, sizeof(address)) == 0 ? 0 : errno;
}

class KubeletTest : public StandinTest {
 protected:
  void start() {
    auto kubelet = Kubelet::start(
        {.directory = directory()},
        {.registered = [this](const auto& resource,
                              const auto& endpoint) { log_.add("+ " + resource + " " + endpoint); },
         .refused = [this](const auto& resource,
                           const auto& why) { log_.add("! " + resource + " " + why); },
         .listed = [this](const auto& resource,
                          const auto& list) { log_.add(resource + " " + list.at(0).id); },
         .ended = [this](const auto& resource,
                         const auto& why) { log_.add("- " + resource + " " + why); }});
    ASSERT_TRUE(kubelet) << kubelet.error().message;
    kubelet_ = std::move(*kubelet);
  }

  bool wait_for(const std::string& line) {
    return log_.wait_for([&](const std::string& seen) { return seen == line; }).has_value();
  }

  EventLog<std::string> log_;
  std::unique_ptr<Kubelet> kubelet_;
};

TEST_F(KubeletTest, StartCreatesDirectoryAndListens) {
  start();
  struct stat status {};
  ASSERT_EQ(::stat(directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0750U);
  EXPECT_EQ(connect_error(socket()), 0);
}

TEST_F(KubeletTest, StartDeletesOnlySockets) {
  ASSERT_TRUE(make_directory(directory() + "/sub"));
  for (const char* name : {"/kubelet.sock", "/gpu.sock", "/sub/kept.sock"}) {
    ASSERT_TRUE(listen_at(directory() + name));
  }
  std::ofstream(directory() + "/kubelet_internal_checkpoint") << "{}";
  struct stat stale {};
  ASSERT_EQ(::stat(socket().c_str(), &stale), 0);
  EXPECT_EQ(connect_error(socket()), ECONNREFUSED);
  start();
  EXPECT_EQ(connect_error(socket()), 0);
  EXPECT_FALSE(std::filesystem::exists(directory() + "/gpu.sock"));
  EXPECT_TRUE(std::filesystem::exists(directory() + "/sub/kept.sock"));
  EXPECT_TRUE(std::filesystem::exists(directory() + "/kubelet_internal_checkpoint"));
}

TEST_F(KubeletTest, EndLeavesRefusingSocket) {
  start();
  kubelet_.reset();
  EXPECT_EQ(connect_error(socket()), ECONNREFUSED);
}

TEST_F(KubeletTest, StartReportsFailure) {
  const std::string path = directory() + std::string(100, 'x') + "/kubelet.sock";
  const auto kubelet = Kubelet::start({.directory = directory() + std::string(100, 'x')}, {});
  ASSERT_FALSE(kubelet);
  EXPECT_EQ(kubelet.error().message, "socket path " + path + " has " + std::to_string(path.size()) +
                                         " bytes, a unix socket takes 107");
}

TEST_F(KubeletTest, ReportsEvents) {
  start();
  ScriptedPlugin plugin(directory(), "gpu.sock");
  plugin.send({"a"});
  EXPECT_FALSE(plugin.register_as("gpu").ok());
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  ASSERT_TRUE(wait_for("example.com/gpu a"));
  plugin.send({"b"});
  ASSERT_TRUE(wait_for("example.com/gpu b"));
  kubelet_.reset();
  EXPECT_EQ(log_.all(),
            (std::vector<std::string>{"! gpu the ResourceName \"gpu\" is invalid",
                                      "+ example.com/gpu gpu.sock", "example.com/gpu a",
                                      "example.com/gpu b", "- example.com/gpu the kubelet stops"}));
}

TEST_F(KubeletTest, ReturnsAllocateAnswerAsJson) {
  start();
  ScriptedPlugin plugin(directory(), "gpu.sock");
  v1beta1::AllocateResponse answer;
  auto& container = *answer.add_container_responses();
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
  plugin.set_allocate(answer);
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  EXPECT_EQ(kubelet_->allocate(kGpu, {"b", "a"}, fake::kPatience), R"({
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
  const auto called =
      plugin.log().wait_for([](const auto& event) { return event.kind == Seen::allocate_called; });
  EXPECT_EQ(called->ids, (std::vector<std::string>{"b", "a"}));
}

TEST_F(KubeletTest, ReportsAllocateFailure) {
  start();
  const auto message = [&] {
    return kubelet_->allocate(kGpu, {"a"}, fake::kPatience).error().message;
  };
  EXPECT_EQ(message(), "NOT_FOUND: cannot allocate unregistered device example.com/gpu");
  ScriptedPlugin plugin(directory(), "gpu.sock");
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  plugin.set_allocate({}, {grpc::StatusCode::FAILED_PRECONDITION, "a is unhealthy"});
  EXPECT_EQ(message(), "FAILED_PRECONDITION: a is unhealthy");
  plugin.set_allocate({});
  EXPECT_EQ(message(), "no containers return in allocation response");
}

TEST_F(KubeletTest, AllocateEndsAtItsDeadline) {
  start();
  ScriptedPlugin plugin(directory(), "gpu.sock");
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  plugin.block_allocate(true);
  const auto answer = kubelet_->allocate(kGpu, {"a"}, std::chrono::milliseconds(50));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().message.starts_with("DEADLINE_EXCEEDED: ")) << answer.error().message;
}

TEST_F(KubeletTest, CallsPreferredAllocationAndPreStart) {
  start();
  ScriptedPlugin plugin(directory(), "gpu.sock");
  v1beta1::DevicePluginOptions options;
  options.set_get_preferred_allocation_available(true);
  plugin.set_options(options);
  ASSERT_TRUE(plugin.register_as(kGpu).ok());
  EXPECT_EQ(kubelet_->options(kGpu),
            (PluginOptions{.pre_start_required = false, .preferred_allocation_available = true}));
  EXPECT_EQ(
      kubelet_->preferred_allocation(
          kGpu, {.available = {"a", "b", "c"}, .must_include = {"c"}, .size = 2}, fake::kPatience),
      (std::vector<std::string>{"c", "a"}));
  EXPECT_TRUE(kubelet_->pre_start(kGpu, {"c", "a"}, fake::kPatience));
  const auto called =
      plugin.log().wait_for([](const auto& event) { return event.kind == Seen::pre_start_called; });
  EXPECT_EQ(called->ids, (std::vector<std::string>{"c", "a"}));
}

}  // namespace
}  // namespace patchbay::standin
