// Tests two daemons on one node: one serves, the other is on standby. Runs with both generations of
// kubelets.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::ClientRules;
using fake::kGopher;

constexpr const char* kStandsBy = "standby: another instance serves the resource";

class StandbyTest : public fake::DaemonTest, public testing::WithParamInterface<ClientRules> {
 protected:
  void SetUp() override {
    gophers_.plug("g1");
    start_kubelet(GetParam());
  }

  void start_first() {
    start_daemon(gophers_.config());
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  /// Starts the second daemon, and waits until it is on standby.
  void start_second() {
    first_ = std::move(daemon_);
    start_daemon(gophers_.config());
    ASSERT_TRUE(daemon_->wait_for_line(kStandsBy));
  }

  /// Starts a daemon with the configuration file of that name.
  [[nodiscard]] std::unique_ptr<fake::Process> daemon_of(const std::string& config) const {
    return std::make_unique<fake::Process>(std::vector<std::string>{
        fake::patchbay_binary(), "run", "--config", dir_ / config, "--kubelet-dir",
        kubelet_directory(), "--cdi-dir", dir_ / "cdi", "--device-info-dir", dir_ / "devinfo",
        "--status-socket", status_socket(), "--log-format", "json", "--log-level", "debug"});
  }

  /// Waits until one stream is open. The kubelet may notice the end of an earlier stream after the
  /// first list of the next one.
  [[nodiscard]] bool has_one_stream() const {
    return fake::wait_until([&] { return kubelet_->streams_open(kGopher) == 1; });
  }

  /// Expects that the running daemon has the only stream, and that the kubelet gets its lists.
  void expect_served(size_t from) {
    EXPECT_TRUE(lists(kGopher, "g1=Healthy", from));
    gophers_.plug("g2");
    EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy", from));
    EXPECT_TRUE(has_one_stream());
    EXPECT_TRUE(kubelet_->allocate(kGopher, {"g2"}));
  }

  [[nodiscard]] std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(kubelet_directory())) {
      if (entry.path().filename() != "kubelet.sock") names.push_back(entry.path().filename());
    }
    return names;
  }

  fake::Gophers gophers_{dir_};
  std::unique_ptr<fake::Process> first_;
};

INSTANTIATE_TEST_SUITE_P(Kubelets, StandbyTest,
                         testing::Values(ClientRules::by_name, ClientRules::by_name_and_path),
                         [](const auto& rules) {
                           return rules.param == ClientRules::by_name ? "UpTo1_36" : "From1_37";
                         });

TEST_P(StandbyTest, SecondDaemonFindsFirstAfterLossOfElectionSockets) {
  start_first();
  for (const auto& entry : fs::directory_iterator(kubelet_directory() + "/patchbay")) {
    // Ignores errors, because the first daemon may create its next socket during the removal.
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
  start_second();
  EXPECT_EQ(kubelet_->register_calls(), 1U);
}

TEST_P(StandbyTest, SecondDaemonLogsFirstAndDoesNotRegister) {
  start_first();
  const auto pid = std::to_string(daemon_->pid());
  start_second();
  const auto line = daemon_->wait_for_line(kStandsBy);
  EXPECT_NE(line->find("pid " + pid + " on "), std::string::npos) << *line;
  // The first daemon goes on, and only its list reaches the kubelet.
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(kubelet_->register_calls(kGopher), 1U);
  // The second daemon ends. At the end, no files are left.
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_EQ(kubelet_->streams_open(kGopher), 1U);
  first_->send_signal(SIGTERM);
  EXPECT_EQ(first_->wait().exit_code, 0);
  EXPECT_EQ(left_behind(), std::vector<std::string>{});
}

TEST_P(StandbyTest, StandbyTakesOverWhenLeaderEnds) {
  for (const int signal_number : {SIGTERM, SIGKILL}) {
    if (!daemon_) start_first();
    start_second();
    const size_t mark = kubelet_->log().size();
    first_->send_signal(signal_number);
    first_->wait();
    EXPECT_TRUE(lists(kGopher, "g1=Healthy", mark)) << "after signal " << signal_number;
  }
  expect_served(0);
}

TEST_P(StandbyTest, StandbyStaysAcrossKubeletRestartAndThenTakesOver) {
  start_first();
  start_second();
  size_t mark = kubelet_->log().size();
  kubelet_->restart();
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", mark));
  EXPECT_EQ(daemon_->count_lines("\"registering\""), 0U);
  mark = kubelet_->log().size();
  first_->send_signal(SIGKILL);
  first_->wait();
  expect_served(mark);
}

TEST_P(StandbyTest, StoppedLeaderIsLoggedAndKeepsResource) {
  start_first();
  start_second();
  first_->send_signal(SIGSTOP);
  ASSERT_TRUE(daemon_->wait_for_line("preceding instance is unresponsive: still in standby"));
  EXPECT_EQ(kubelet_->register_calls(kGopher), 1U);
  first_->send_signal(SIGCONT);
  ASSERT_TRUE(daemon_->wait_for_line("is responsive again"));
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
}

TEST_P(StandbyTest, OneOfTwoSimultaneousDaemonsRegistersEachResource) {
  // Writes the file once. A starting daemon would reject the empty file of a rewrite.
  dir_.write("both.yaml", gophers_.config("  - name: example.com/other\n"
                                          "    match: {glob: /dev/null}\n"
                                          "    id: $(name)\n"));
  for (int round = 0; round < 5; ++round) {
    const size_t mark = kubelet_->log().size();
    first_ = daemon_of("both.yaml");
    daemon_ = daemon_of("both.yaml");
    ASSERT_TRUE(lists(kGopher, "g1=Healthy", mark));
    ASSERT_TRUE(lists("example.com/other", "null=Healthy", mark));
    // Each resource has one leader and one standby, in any order.
    const auto waiting = [&] {
      return first_->count_lines(kStandsBy) + daemon_->count_lines(kStandsBy);
    };
    ASSERT_TRUE(fake::wait_until([&] { return waiting() == 2; })) << waiting();
    EXPECT_EQ(kubelet_->streams_open(), 2U);
    // Stops both before the kill, so that neither takes over.
    for (const int signal_number : {SIGSTOP, SIGKILL}) {
      first_->send_signal(signal_number);
      daemon_->send_signal(signal_number);
    }
    first_->wait();
    daemon_->wait();
    ASSERT_TRUE(fake::wait_until([&] { return kubelet_->streams_open() == 0; }));
  }
}

/// The first daemon's configuration removes a resource, which the second one still has.
TEST_P(StandbyTest, StandbyTakesOverResourceThatLeaderRemoves) {
  start_first();
  const std::string before = gophers_.config();
  first_ = std::move(daemon_);
  fs::create_directory(dir_ / "second");
  dir_.write("second/config.yaml", before);
  daemon_ = daemon_of("second/config.yaml");
  ASSERT_TRUE(daemon_->wait_for_line(kStandsBy));
  const size_t mark = kubelet_->log().size();
  dir_.write("config.yaml",
             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
             "  - name: example.com/other\n    match: {glob: /dev/null}\n    id: $(name)\n");
  expect_served(mark);
}

/// Only the leader writes the files for container runtimes.
TEST_P(StandbyTest, StandbyWritesNoUnitFiles) {
  const auto config = [&](const std::string& path) {
    return "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
           "  - name: example.com/null\n    match: {glob: /dev/null}\n    id: $(name)\n"
           "    devices: [{hostPath: /dev/null, containerPath: " +
           path + "}]\n    cdi: write\n";
  };
  const auto spec = [&] {
    std::ifstream in(dir_ / "cdi/patchbay-example.com_null.json", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  start_daemon(config("/dev/of-the-first"), {"--no-reload"});
  ASSERT_TRUE(lists("example.com/null", "null=Healthy"));
  first_ = std::move(daemon_);
  start_daemon(config("/dev/of-the-second"));
  ASSERT_TRUE(daemon_->wait_for_line(kStandsBy));
  EXPECT_NE(spec().find("/dev/of-the-first"), std::string::npos) << spec();
  const size_t mark = kubelet_->log().size();
  first_->send_signal(SIGKILL);
  first_->wait();
  ASSERT_TRUE(lists("example.com/null", "null=Healthy", mark));
  EXPECT_NE(spec().find("/dev/of-the-second"), std::string::npos) << spec();
}

}  // namespace
}  // namespace patchbay
