// Tests a daemon that cannot open files for a while. It logs this once, keeps its state, and later
// finds the changes of that time.
#include <filesystem>
#include <optional>
#include <string>

#include "fake/http_client.h"
#include "fake/no_descriptors.h"
#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;
using fake::kHead;
using fake::kMole;
using fake::NoDescriptors;

constexpr const char* kShort = "out of descriptors or memory";
constexpr const char* kEnough = "descriptors and memory are available again";

/// Disables the rescan, so that the daemon reads devices again only because descriptors ran out.
class WithoutDescriptorsTest : public fake::ReloadTest {
 protected:
  void start_without_rescan(const std::string& config) {
    start_serving(config, {"--rescan", "0s"});
  }

  /// Expects one log line about missing descriptors, and one when they are available again.
  void expect_logged_once() const {
    EXPECT_TRUE(logs(kEnough));
    EXPECT_EQ(daemon_->count_lines(kShort), 1U);
    const auto line = daemon_->wait_for_line(kShort);
    ASSERT_TRUE(line);
    EXPECT_NE(line->find("RLIMIT_NOFILE"), std::string::npos) << *line;
  }
};

/// The daemon must open the new directory to list it.
TEST_F(WithoutDescriptorsTest, DevicePluggedDuringShortageIsFoundLater) {
  dir_.write("boards/one/g1", "");
  dir_.write("boards/goes/g2", "");
  dir_.write("box/g3", "");
  start_kubelet();
  start_daemon(kHead + "  - name: example.com/gopher\n    match: {glob: " + (dir_ / "boards/*/*") +
                   ", type: file}\n    id: $(name)\n    linger: 1h\n",
               {"--rescan", "0s", "--no-reload"});
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  {
    const NoDescriptors none(daemon_->pid());
    fs::rename(dir_ / "box", dir_ / "boards/comes");
    fs::remove_all(dir_ / "boards/goes");
    ASSERT_TRUE(logs(kShort));
  }
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy g3=Healthy"));
  for (const auto& event : kubelet_->history(kGopher)) {
    EXPECT_NE(text_of(*event.devices).find("g1=Healthy"), std::string::npos) << kubelet_->story();
  }
  expect_logged_once();
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(WithoutDescriptorsTest, EditDuringShortageIsAppliedLater) {
  start_without_rescan(gophers_.config());
  {
    const NoDescriptors none(daemon_->pid());
    replace_config(gophers_.config() + moles());
    ASSERT_TRUE(logs(kShort));
  }
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  expect_logged_once();
  EXPECT_EQ(daemon_->count_lines("configuration rejected"), 0U);
  EXPECT_EQ(gopher_lists(), 1U);
}

/// stat() of the device node needs no descriptor.
TEST_F(WithoutDescriptorsTest, AllocateAnswersForKnownUnit) {
  start_kubelet();
  start_daemon(kHead +
                   "  - name: example.com/null\n    match: {glob: /dev/null}\n    id: $(name)\n" +
                   "    mounts: [{hostPath: /tmp, containerPath: /scratch}]\n",
               {"--rescan", "0s", "--no-reload"});
  ASSERT_TRUE(lists("example.com/null", "null=Healthy"));
  const NoDescriptors none(daemon_->pid());
  for (int i = 0; i < 20; ++i) {
    const auto answer = kubelet_->allocate("example.com/null", {"null"});
    ASSERT_TRUE(answer) << answer.error().message;
  }
}

/// The listening socket stays readable while the daemon cannot accept the connection.
TEST_F(WithoutDescriptorsTest, HttpRequestDuringShortageIsAnsweredLater) {
  const uint16_t port = fake::free_port();
  start_kubelet();
  start_daemon(gophers_.config(),
               {"--rescan", "0s", "--no-reload", "--listen", "127.0.0.1:" + std::to_string(port)});
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  ASSERT_TRUE(fake::wait_until([port] { return fake::HttpClient(port).connected(); }));
  std::optional<fake::HttpClient> waits;
  {
    const NoDescriptors none(daemon_->pid());
    waits.emplace(port);
    ASSERT_TRUE(waits->send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const auto line = daemon_->wait_for_line("cannot accept connections: retrying");
    ASSERT_TRUE(line);
    EXPECT_NE(line->find("Too many open files"), std::string::npos) << *line;
  }
  EXPECT_TRUE(waits->read_until("\r\n\r\nok\n"));
  EXPECT_TRUE(logs("accepting connections again"));
  EXPECT_EQ(daemon_->count_lines("cannot accept connections: retrying"), 1U);
  for (const auto& line : daemon_->lines().all())
    EXPECT_TRUE(line.text.starts_with('{')) << line.text;
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

/// 48 descriptors suffice for a resource, its kubelet, and HTTP.
TEST_F(WithoutDescriptorsTest, ServesWithMinimumOfDescriptors) {
  const uint16_t port = fake::free_port();
  start_kubelet();
  start_daemon_in({"/bin/sh", "-c", R"(ulimit -n 48 && exec "$0" "$@")"}, gophers_.config(),
                  {"--listen", "127.0.0.1:" + std::to_string(port)});
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  EXPECT_TRUE(fake::wait_until([&] { return fake::http_body(port, "/readyz") == "ready\n"; }));
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_EQ(daemon_->count_lines("Too many open files"), 0U);
}

TEST(StartWithFewDescriptors, FailsWithAdvice) {
  const fake::TempDir dir;
  const std::string config =
      dir.write("c.yaml", kHead + "  - {name: a.io/null, match: {glob: /dev/null}}\n");
  for (const char* limit : {"8", "12", "16", "20", "24", "40"}) {
    const auto finished = fake::run_process(
        {"/bin/sh", "-c", std::string("ulimit -n ") + limit + R"( && exec "$0" "$@")",
         fake::patchbay_binary(), "run", "--config", config, "--kubelet-dir", dir / "kubelet",
         "--status-socket", "none"});
    EXPECT_EQ(finished.exit_code, 2) << limit << finished.err;
    EXPECT_TRUE(finished.err.starts_with("patchbay: open files: ")) << limit << finished.err;
    EXPECT_TRUE(finished.err.ends_with("raise LimitNOFILE= of the service, or ulimit -n\n"))
        << limit << finished.err;
  }
}

TEST_F(WithoutDescriptorsTest, WhenConditionKeepsResultUntilFileCanBeRead) {
  const std::string fact = dir_.write("machine", "bench");
  start_without_rescan(gophers_.config("    when: {file: {" + fact + ": bench}}\n") +
                       moles("    when: {file: {" + fact + ": field}}\n"));
  {
    const NoDescriptors none(daemon_->pid());
    fs::rename(dir_.write("next", "field"), fact);
    ASSERT_TRUE(logs(kShort));
    EXPECT_EQ(gopher_lists(), 1U);
  }
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  EXPECT_TRUE(lists(kGopher, ""));
  expect_logged_once();
}

}  // namespace
}  // namespace patchbay
