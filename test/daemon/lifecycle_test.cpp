// Tests the start and end of the daemon, and restarts of the kubelet.
#include <filesystem>
#include <fstream>
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;

class LifecycleTest : public fake::DaemonTest {
 protected:
  /// Starts the kubelet and the daemon with one listed gopher.
  void start_serving(fake::ClientRules rules = fake::ClientRules::by_name_and_path) {
    gophers_.plug("g1");
    start_kubelet(rules);
    start_daemon(gophers_.config());
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  [[nodiscard]] std::vector<std::string> own_sockets() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kubelet_directory())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("patchbay-")) names.push_back(name);
    }
    return names;
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(LifecycleTest, RegistersOnceAndListsUnits) {
  start_serving();
  EXPECT_EQ(kubelet_->register_calls(), 1U);
  EXPECT_EQ(kubelet_->streams_open(), 1U);
  EXPECT_EQ(kubelet_->options(kGopher), fake::PluginOptions{});
}

TEST_F(LifecycleTest, DefaultGrpcEventEngineIsNotRunning) {
  start_serving();
  const auto threads = "/proc/" + std::to_string(daemon_->pid()) + "/task";
  for (const auto& thread : fs::directory_iterator(threads)) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    EXPECT_FALSE(name.starts_with("timer_manager") || name.starts_with("event_engine")) << name;
  }
}

TEST_F(LifecycleTest, SocketIsForRootOnly) {
  start_serving();
  const auto sockets = own_sockets();
  ASSERT_EQ(sockets.size(), 1U);
  const auto mode = fs::status(kubelet_directory() + "/" + sockets[0]).permissions();
  EXPECT_EQ(mode, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_LE(sockets[0].size(), 75U);
}

TEST_F(LifecycleTest, WaitsForKubeletAndRegisters) {
  gophers_.plug("g1");
  start_daemon(gophers_.config());
  ASSERT_TRUE(daemon_->wait_for_line("\"resource ready\""));
  start_kubelet();  // Also creates the directory.
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
}

TEST_F(LifecycleTest, StreamAfterKubeletRestartGetsNextChange) {
  for (const auto rules : {fake::ClientRules::by_name, fake::ClientRules::by_name_and_path}) {
    start_serving(rules);
    gophers_.plug("g2");
    ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
    const size_t restart = kubelet_->log().size();
    kubelet_->restart();
    ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy", restart));
    gophers_.unplug("g2");
    EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy", restart));
    EXPECT_EQ(kubelet_->streams_open(), 1U);
    stop_daemon();
    kubelet_.reset();
    gophers_.unplug("g1");
  }
}

TEST_F(LifecycleTest, EachKubeletRestartReplacesPluginSocket) {
  start_serving();
  const std::string first = kubelet_->endpoint(kGopher);
  for (int i = 0; i < 3; ++i) {
    const size_t restart = kubelet_->log().size();
    kubelet_->restart();
    ASSERT_TRUE(lists(kGopher, "g1=Healthy", restart));
  }
  EXPECT_NE(kubelet_->endpoint(kGopher), first);
  EXPECT_EQ(own_sockets(), std::vector{kubelet_->endpoint(kGopher)});
}

TEST_F(LifecycleTest, RegistersAfterKubeletDirectoryIsRecreated) {
  start_serving();
  const size_t mark = kubelet_->log().size();
  kubelet_->stop();
  kubelet_->recreate_directory();
  kubelet_->start_again();
  EXPECT_TRUE(lists(kGopher, "g1=Healthy", mark));
}

TEST_F(LifecycleTest, DeletedPluginSocketDoesNotAffectStream) {
  start_serving();
  kubelet_->unlink_plugin_socket(kGopher);
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(kubelet_->register_calls(), 1U);
  // The next kubelet still gets a new socket.
  const size_t restart = kubelet_->log().size();
  kubelet_->restart();
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy", restart));
}

TEST_F(LifecycleTest, TouchedKubeletSocketCausesNoRegistration) {
  start_serving();
  kubelet_->touch_socket();
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(kubelet_->register_calls(), 1U);
  EXPECT_EQ(kubelet_->streams_open(), 1U);
}

TEST_F(LifecycleTest, RemovesOnlyStaleSocketsOfEarlierRun) {
  start_serving();
  daemon_->send_signal(SIGKILL);
  daemon_->wait();
  const auto left = own_sockets();
  ASSERT_EQ(left.size(), 1U);
  const std::string file = kubelet_directory() + "/patchbay-notes.sock";
  dir_.write("device-plugins/patchbay-notes.sock", "a file, no socket");
  const size_t mark = kubelet_->log().size();
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", mark));
  EXPECT_FALSE(fs::exists(kubelet_directory() + "/" + left[0]));
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(LifecycleTest, SignalsEndDaemonCleanly) {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    start_serving();
    const size_t mark = kubelet_->log().size();
    const auto end = stop_daemon(signal_number);
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_TRUE(kubelet_->wait_for(Kind::ended, kGopher, mark));
    EXPECT_EQ(own_sockets(), std::vector<std::string>{});
    kubelet_.reset();
  }
}

TEST_F(LifecycleTest, SignalBeforeKubeletAppearsEndsDaemon) {
  start_daemon(gophers_.config());
  ASSERT_TRUE(daemon_->wait_for_line("\"resource ready\""));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(LifecycleTest, LongResourceNameHasValidSocketName) {
  const std::string domain = std::string(60, 'd') + "." + std::string(60, 'e') + ".example.com";
  const std::string name = domain + "/" + std::string(63, 'n');
  start_kubelet();
  gophers_.plug("g1");
  std::string config = gophers_.config();
  config.replace(config.find(kGopher), std::string(kGopher).size(), name);
  start_daemon(config);
  EXPECT_TRUE(lists(name, "g1=Healthy"));
}

}  // namespace
}  // namespace patchbay
