// An unresponsive file system affects only the resources that need it.
#include <filesystem>
#include <future>
#include <optional>

#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/hanging_mount.h"
#include "fake/stalling_mount.h"

namespace patchbay {
namespace {

using fake::kGopher;
using testing::HasSubstr;

class HangingTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
    mount_.emplace();
    gophers_.plug("g1");
    start_kubelet();
  }
  /// Starts the daemon without the leak check at its end, which would wait for the hung path.
  void start(const std::string& config, const std::vector<std::string>& more = {}) {
    start_daemon_in({"env", "ASAN_OPTIONS=detect_leaks=0"}, config, more);
  }
  /// Expects a normal exit and no log line about a stalled thread.
  void expect_clean_end() {
    const auto end = stop_daemon();
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_EQ(daemon_->count_lines("thread stalled"), 0U) << end.err;
  }

  std::optional<fake::HangingMount> mount_;
  fake::Gophers gophers_{dir_};
};

TEST_F(HangingTest, HungAllocatePathFailsOnlyThatCall) {
  const std::string other = "example.com/null";
  const std::string tools = *mount_ / "tools";
  start(gophers_.config("    mounts: [{hostPath: " + tools +
                        ", containerPath: /tools, optional: true}]\n"
                        "    preStart: [exec: [/bin/true]]\n"
                        "  - {name: " +
                        other + ", match: {glob: /dev/null}, id: $(name)}\n"));
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  ASSERT_TRUE(lists(other, "null=Healthy"));
  const auto allocate = [&] { return kubelet_->allocate(kGopher, {"g1"}); };
  auto call = std::async(std::launch::async, allocate);
  ASSERT_TRUE(fake::wait_until([&] { return fake::hangs_on_mount(daemon_->pid()); }));

  EXPECT_TRUE(kubelet_->allocate(other, {"null"}));
  EXPECT_TRUE(kubelet_->preferred_allocation(kGopher,
                                             {.available = {"g1"}, .must_include = {}, .size = 1}));
  EXPECT_TRUE(kubelet_->pre_start(kGopher, {"g1"}));
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));

  const auto answer = call.get();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr(tools + " is unresponsive"));
  const auto line = daemon_->wait_for_line("\"allocation refused\"");
  EXPECT_THAT(line.value_or(""), HasSubstr(tools + " is unresponsive"));
  EXPECT_FALSE(allocate()) << "it hangs still";
  mount_->let_go();
  EXPECT_TRUE(fake::wait_until([&] { return allocate().has_value(); }));
  expect_clean_end();
}

TEST_F(HangingTest, HungCdiDirectoryDelaysOnlyResourcesThatWriteSpecs) {
  std::filesystem::create_directory_symlink(*mount_ / "", dir_ / "cdi");
  const std::string other = "example.com/null";
  start(gophers_.config("    mounts: [{hostPath: /usr/lib}]\n    cdi: write\n  - {name: " + other +
                        ", match: {glob: /dev/null}, id: $(name)}\n"));
  ASSERT_TRUE(lists(other, "null=Healthy"));
  const auto line = daemon_->wait_for_line("\"cannot write unit files");
  EXPECT_THAT(line.value_or(""), HasSubstr((dir_ / "cdi") + " is unresponsive"));
  EXPECT_EQ(kubelet_->register_calls(kGopher), 0U);
  EXPECT_TRUE(kubelet_->allocate(other, {"null"}));
  mount_->let_go();
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_TRUE(daemon_->wait_for_line("\"unit files are written again\""));
  expect_clean_end();
}

TEST_F(HangingTest, HungCdiDirectoryDoesNotBlockShutdown) {
  std::filesystem::create_directory_symlink(*mount_ / "", dir_ / "cdi");
  start(gophers_.config("    mounts: [{hostPath: /usr/lib}]\n    cdi: write\n"));
  ASSERT_TRUE(fake::wait_until([&] { return fake::hangs_on_mount(daemon_->pid()); }));
  expect_clean_end();
}

TEST_F(HangingTest, HungProbeProgramFailsOnlyThatProbe) {
  const std::string probe = *mount_ / "probe";
  start(gophers_.config("    health:\n      - {exec: [" + probe +
                        "], timeout: 1s, period: 1s, failureThreshold: 1}\n"
                        "  - {name: example.com/null, match: {glob: /dev/null}, id: $(name)}\n"));
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  const auto line = daemon_->wait_for_line("\"unit is unhealthy\"");
  EXPECT_THAT(line.value_or(""), HasSubstr(probe + " does not start"));
  gophers_.plug("g2");
  EXPECT_TRUE(
      kubelet_->wait_for_list(kGopher, [](const Devices& devices) { return devices.size() == 2; }));
  EXPECT_TRUE(kubelet_->allocate("example.com/null", {"null"}));
  expect_clean_end();
}

/// The new process hangs in execve() until the file system answers, and cannot be killed. It still
/// shares the daemon's memory.
TEST_F(HangingTest, UnkillableProgramStartDoesNotBlockShutdown) {
  const fake::StallingMount server;
  start(gophers_.config("    health:\n      - {exec: [" + (server / "probe") +
                        "], timeout: 1s, period: 1s, failureThreshold: 1}\n"));
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  // Waits, because on a busy machine the probe can time out before execve().
  EXPECT_TRUE(fake::wait_until([&] { return server.reads() == 1; }));
  gophers_.plug("g2");
  EXPECT_TRUE(
      kubelet_->wait_for_list(kGopher, [](const Devices& devices) { return devices.size() == 2; }));
  expect_clean_end();
}

}  // namespace
}  // namespace patchbay
