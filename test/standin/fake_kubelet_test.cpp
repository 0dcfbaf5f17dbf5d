#include "fake/fake_kubelet.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>

#include "base/unique_fd.h"
#include "standin/registration_server.h"
#include "standin/standin_fixture.h"

namespace patchbay::standin {
namespace {

using fake::FakeKubelet;
using fake::ScriptedPlugin;
using std::chrono::milliseconds;

class FakeKubeletTest : public StandinTest {
 protected:
  void register_gpu() { ASSERT_TRUE(plugin_.register_as(kGpu).ok()); }

  FakeKubelet kubelet_{{.directory = directory()}};
  ScriptedPlugin plugin_{directory(), "gpu.sock"};
};

TEST_F(FakeKubeletTest, RefusesGivenNumberOfRegistrations) {
  kubelet_.set_faults({.register_errors = 2});
  EXPECT_EQ(plugin_.register_as(kGpu).error_message(), "the kubelet is not in the mood");
  EXPECT_FALSE(plugin_.register_as(kGpu).ok());
  EXPECT_EQ(plugin_.count(PluginKind::options_asked), 0U);
  EXPECT_TRUE(plugin_.register_as(kGpu).ok());
  EXPECT_EQ(kubelet_.register_calls(kGpu), 3U);
  EXPECT_EQ(kubelet_.connections(), 3U);
}

TEST_F(FakeKubeletTest, BlocksRegisterOfOneResource) {
  kubelet_.set_faults({.block_register = true}, kGpu);
  auto answer = std::async(std::launch::async, [&] { return plugin_.register_as(kGpu); });
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::register_called, kGpu));
  ScriptedPlugin other(directory(), "nic.sock");
  EXPECT_TRUE(other.register_as(kNic).ok());
  EXPECT_EQ(answer.wait_for(milliseconds(0)), std::future_status::timeout);
  kubelet_.set_faults({}, kGpu);
  EXPECT_TRUE(answer.get().ok());
}

TEST_F(FakeKubeletTest, StopsWhileRegisterIsBlocked) {
  kubelet_.set_faults({.block_register = true});
  auto answer = std::async(std::launch::async, [&] { return plugin_.register_as(kGpu); });
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::register_called, kGpu));
  kubelet_.stop();
  EXPECT_FALSE(answer.get().ok());
}

TEST_F(FakeKubeletTest, CancelsTheStreamAfterRegisterSucceeds) {
  plugin_.send({"a"});
  kubelet_.set_faults({.stream_cancels = 1});
  register_gpu();
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::ended, kGpu));
  EXPECT_EQ(kubelet_.count(KubeletKind::listed), 0U);
  register_gpu();
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu));
}

TEST_F(FakeKubeletTest, CancelsTheStreamAfterTheFirstList) {
  plugin_.send({"a"});
  kubelet_.set_faults({.stream_cancels = 1, .cancel_after = 1});
  register_gpu();
  EXPECT_TRUE(plugin_.wait_for(PluginKind::stream_cancelled));
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::ended, kGpu));
  EXPECT_EQ(kubelet_.count(KubeletKind::listed), 1U);
}

TEST_F(FakeKubeletTest, ReadsNoListWhileReadsAreBlocked) {
  kubelet_.set_faults({.block_reads = true});
  register_gpu();
  ASSERT_TRUE(kubelet_.wait_for(KubeletKind::stream_opened, kGpu));
  // 3 MB exceed the connection's buffers.
  plugin_.send(std::vector<std::string>(45'000, std::string(63, 'x')));
  EXPECT_TRUE(kubelet_.allocate(kGpu, {"a"}));
  EXPECT_EQ(kubelet_.count(KubeletKind::listed), 0U);
  EXPECT_EQ(plugin_.count(PluginKind::list_written), 0U);
  kubelet_.set_faults({});
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu));
  EXPECT_TRUE(plugin_.wait_for(PluginKind::list_written));
}

TEST_F(FakeKubeletTest, StopsDuringSlowRead) {
  kubelet_.set_faults({.block_reads = true});
  register_gpu();
  ASSERT_TRUE(plugin_.wait_for(PluginKind::stream_opened));
  kubelet_.stop();
  EXPECT_TRUE(plugin_.wait_for(PluginKind::stream_cancelled));
}

TEST_F(FakeKubeletTest, RefusesConnectionsBetweenStopAndStart) {
  register_gpu();
  ASSERT_TRUE(plugin_.wait_for(PluginKind::stream_opened));
  kubelet_.stop();
  EXPECT_TRUE(plugin_.wait_for(PluginKind::stream_cancelled));
  EXPECT_TRUE(std::filesystem::exists(socket()));
  EXPECT_TRUE(std::filesystem::exists(directory() + "/gpu.sock"));
  EXPECT_EQ(plugin_.register_as(kGpu).error_code(), grpc::StatusCode::UNAVAILABLE);

  kubelet_.start_again();
  EXPECT_FALSE(std::filesystem::exists(directory() + "/gpu.sock"));
  ScriptedPlugin again(directory(), "gpu2.sock");
  EXPECT_TRUE(again.register_as(kGpu).ok());
  EXPECT_EQ(kubelet_.endpoint(kGpu), "gpu2.sock");
}

TEST_F(FakeKubeletTest, StartsInRecreatedDirectory) {
  register_gpu();
  kubelet_.recreate_directory();
  EXPECT_TRUE(std::filesystem::is_empty(directory()));
  plugin_.send({"a"});
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu));  // The existing connection continues.
  kubelet_.restart();
  ScriptedPlugin again(directory(), "gpu2.sock");
  EXPECT_TRUE(again.register_as(kGpu).ok());
}

/// The names that the inotify descriptor `fd` has reported so far.
std::vector<std::string> reported_names(int fd) {
  alignas(inotify_event) std::array<char, 4096> buffer{};
  std::vector<std::string> names;
  const ssize_t length = ::read(fd, buffer.data(), buffer.size());
  for (ssize_t at = 0; at < length;) {
    inotify_event event{};
    std::memcpy(&event, buffer.data() + at, sizeof(event));
    names.emplace_back(buffer.data() + at + sizeof(event));
    at += static_cast<ssize_t>(sizeof(event) + event.len);
  }
  return names;
}

TEST_F(FakeKubeletTest, TouchesSocketWithoutRestart) {
  register_gpu();
  struct stat before {};
  ASSERT_EQ(::stat(socket().c_str(), &before), 0);
  const UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ASSERT_GE(::inotify_add_watch(watch.get(), directory().c_str(), IN_CREATE), 0);
  kubelet_.touch_socket();
  EXPECT_EQ(reported_names(watch.get()), std::vector<std::string>{"kubelet.sock"});
  struct stat after {};
  ASSERT_EQ(::stat(socket().c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(kubelet_.count(KubeletKind::ended), 0U);
  ScriptedPlugin other(directory(), "nic.sock");
  EXPECT_TRUE(other.register_as(kNic).ok());
}

TEST(RestartOrder, DependsOnSeed) {
  // The DELETE events of inotify show in which order the sockets were unlinked.
  const auto order = [](uint32_t seed) {
    std::string root = testing::TempDir() + "standin-XXXXXX";
    if (!::mkdtemp(root.data())) ADD_FAILURE() << "mkdtemp";
    FakeKubelet kubelet({.directory = root, .seed = seed});
    kubelet.stop();
    for (const char* name : {"/a.sock", "/b.sock", "/c.sock", "/d.sock", "/e.sock"}) {
      EXPECT_TRUE(listen_at(root + name));
    }
    const UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    EXPECT_GE(::inotify_add_watch(watch.get(), root.c_str(), IN_DELETE), 0);
    kubelet.start_again();
    kubelet.stop();
    auto names = reported_names(watch.get());
    std::filesystem::remove_all(root);
    return names;
  };
  const auto one = order(1);
  EXPECT_EQ(one.size(), 6U);
  EXPECT_EQ(order(1), one);
  EXPECT_NE(order(2), one);
}

}  // namespace
}  // namespace patchbay::standin
