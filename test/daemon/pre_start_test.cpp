// Tests the steps before a container starts, against the running daemon.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <future>
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

using fake::kGopher;

class PreStartTest : public fake::DaemonTest {
 protected:
  /// `steps` is the list below preStart.
  void start(const std::string& steps) {
    gophers_.plug("a");
    gophers_.plug("b");
    start_kubelet();
    start_daemon(gophers_.config("    preStart:\n" + steps));
    ASSERT_TRUE(lists(kGopher, "a=Healthy b=Healthy"));
  }
  [[nodiscard]] std::string failure(const std::vector<std::string>& ids) const {
    const auto prepared = kubelet_->pre_start(kGopher, ids);
    return prepared ? "" : prepared.error().message;
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(PreStartTest, RunsStepsOfEachUnitInOrder) {
  const std::string script = dir_.write("prepare", "#!/bin/sh\necho \"$1\" >>\"$2\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const std::string log = dir_.write("log-a", "");
  static_cast<void>(dir_.write("log-b", ""));
  start("      - exec: [" + script + ", first $(id), " + (dir_ / "log-$(id)") + "]\n" +
        "      - exec: [" + script + ", second, " + (dir_ / "log-$(id)") + "]\n" +
        "      - {wait: {path: " + (dir_ / "log-$(name)") + ", for: 20s}}\n");
  EXPECT_EQ(failure({"a", "b"}), "");
  EXPECT_TRUE(daemon_->wait_for_line(R"("preStart steps are done","resource":")" +
                                     std::string(kGopher) + R"(","unit":"a,b")"));
  std::ifstream read(log);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(read), {}), "first a\nsecond\n");
}

TEST_F(PreStartTest, FailedStepFailsStartWithReason) {
  const std::string script = dir_.write("prepare", "#!/bin/sh\necho no license for $1\nexit 3\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  start("      - exec: [" + script + ", $(id)]\n");
  EXPECT_NE(failure({"b"}).find("unit 'b': step 1, exec " + script + ": no license for b"),
            std::string::npos)
      << failure({"b"});
  EXPECT_EQ(daemon_->count_lines("preStart steps are done"), 0U);
}

TEST_F(PreStartTest, RejectsUnhealthyOrUnknownUnits) {
  start("      - exec: [/bin/true]\n");
  gophers_.unplug("a");
  ASSERT_TRUE(lists(kGopher, "a=Unhealthy b=Healthy"));
  EXPECT_EQ(failure({"a"}), "FAILED_PRECONDITION: unit 'a' is unhealthy: the device is gone");
  EXPECT_TRUE(daemon_->wait_for_line(
      R"("message":"container start failed","resource":"example.com/gopher","unit":"a",)"
      R"("reason":"unit 'a' is unhealthy: the device is gone")"));
  EXPECT_EQ(failure({"c"}), "FAILED_PRECONDITION: example.com/gopher has no unit 'c'");
}

TEST_F(PreStartTest, DifferentUnitsDoNotWaitForEachOther) {
  start("      - {wait: {path: " + (dir_ / "go-$(id)") + ", for: 20s}}\n");
  auto slow = std::async(std::launch::async, [this] { return failure({"a"}); });
  static_cast<void>(dir_.write("go-b", ""));
  EXPECT_EQ(failure({"b"}), "");
  static_cast<void>(dir_.write("go-a", ""));
  EXPECT_EQ(slow.get(), "");
}

TEST_F(PreStartTest, RunningStepsDoNotBlockShutdown) {
  start("      - exec: [/usr/bin/touch, " + (dir_ / "gophers/begun") + "]\n" +
        "      - {wait: {path: " + (dir_ / "never") + ", for: 20s}}\n");
  auto open = std::async(std::launch::async, [this] { return failure({"a"}); });
  ASSERT_TRUE(lists(kGopher, "a=Healthy b=Healthy begun=Healthy"));
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_NE(open.get(), "");
}

TEST_F(PreStartTest, PreStartIsRequiredOnlyForResourceWithSteps) {
  start("      - {wait: {path: " + (dir_ / "gophers") +
        "}}\n"
        "  - {name: example.com/other, match: {glob: /dev/null}, id: $(name)}\n");
  ASSERT_TRUE(lists("example.com/other", "null=Healthy"));
  const auto with_steps = kubelet_->options(kGopher);
  ASSERT_TRUE(with_steps);
  EXPECT_TRUE(with_steps->pre_start_required);
  const auto without_steps = kubelet_->options("example.com/other");
  ASSERT_TRUE(without_steps);
  EXPECT_FALSE(without_steps->pre_start_required);
}

class ChangedNodeTest : public fake::DaemonTest {};

TEST_F(ChangedNodeTest, RemovedDeviceNodeFailsAllocate) {
  const std::string node = dir_ / "null";
  ASSERT_EQ(mknod(node.c_str(), S_IFCHR | 0600, makedev(1, 3)), 0);
  fake::Gophers gophers(dir_);
  gophers.plug("a");
  start_kubelet();
  start_daemon(gophers.config("    devices: [" + node + "]\n"));
  ASSERT_TRUE(lists(kGopher, "a=Healthy"));
  ASSERT_TRUE(kubelet_->allocate(kGopher, {"a"}));
  std::filesystem::remove(node);
  const auto gone = kubelet_->allocate(kGopher, {"a"});
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find(node + " does not exist"), std::string::npos)
      << gone.error().message;
}

}  // namespace
}  // namespace patchbay
