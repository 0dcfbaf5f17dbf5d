// The health of units, as the kubelet sees it.
#include <filesystem>

#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
constexpr const char* kGopher = "example.com/gopher";

class HealthTest : public fake::DaemonTest {
 protected:
  /// A kubelet, and a daemon with one gopher, which has these keys.
  void start(const std::string& keys) {
    gophers_.plug("g1");
    start_kubelet();
    start_daemon(gophers_.config(keys));
  }
  /// A program that fails with a reason while there is a file "broken".
  [[nodiscard]] std::string program() const {
    const std::string path =
        dir_.write("probe.sh", "#!/bin/sh\necho \"looking at $1\"\n[ ! -e '" + (dir_ / "broken") +
                                   "' ] || { echo no signal; exit 1; }\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  /// What is said of the unit next, as JSON, that holds `text`.
  [[nodiscard]] std::string log_line(const std::string& text) const {
    return daemon_->wait_for_line(text).value_or("no line with " + text);
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(HealthTest, AFileThatAProbeReadsCountsAtOnce) {
  const std::string state = dir_.write("state/g1", "up");
  // No period passes in this test.
  start("    health: [{file: {" + (dir_ / "state/$(name)") +
        ": up}, period: 1h, failureThreshold: 1}]\n");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  dir_.write("state/g1", "down");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_THAT(log_line("\"unit is unhealthy\""), HasSubstr("is \\\"down\\\""));
  size_t from = kubelet_->log().size();
  dir_.write("state/g1", "up");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", from));
  EXPECT_THAT(log_line("\"unit is healthy again\""), HasSubstr("\"was\":"));
  from = kubelet_->log().size();
  fs::remove(state);
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy", from));
  from = kubelet_->log().size();
  fs::rename(dir_.write("state/new", "up"), state);
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", from));
}

TEST_F(HealthTest, AProgramFailsAndPassesAgain) {
  start("    health: [{exec: [" + program() +
        ", $(path)], period: 100ms, timeout: 30s, failureThreshold: 2}]\n");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  dir_.write("broken", "");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_THAT(log_line("\"unit is unhealthy\""), HasSubstr("\"reason\":\"no signal\""));
  const size_t from = kubelet_->log().size();
  fs::remove(dir_ / "broken");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", from));
}

TEST_F(HealthTest, APathThatIsNeededVanishes) {
  dir_.write("lib/g1", "");
  start("    mounts: [{hostPath: " + (dir_ / "lib/$(name)") + ", containerPath: /lib/gopher}]\n");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  fs::remove(dir_ / "lib/g1");
  // Something happens to the device, so that nobody waits for the period.
  fs::rename(dir_.write("g1", ""), dir_ / "gophers/g1");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_THAT(log_line("\"unit is unhealthy\""), HasSubstr("lib/g1 does not exist"));
  const size_t from = kubelet_->log().size();
  dir_.write("lib/g1", "");
  fs::rename(dir_.write("g1", ""), dir_ / "gophers/g1");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", from));
}

TEST_F(HealthTest, OneThatCannotBeRunIsToldApart) {
  start(
      "    health: [{exec: [/no/such/program], period: 100ms}]\n"
      "  - {name: example.com/other, claim: shared, match: {static: [x]}, id: x,\n"
      "     health: [{exec: [/no/such/program], period: 100ms, onError: ignore}]}\n");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_THAT(
      log_line("\"unit is unhealthy\""),
      HasSubstr("\"reason\":\"cannot be run: /no/such/program: No such file or directory\""));
  for (const std::string resource : {"gopher", "other"}) {
    const std::string line =
        log_line("\"a probe cannot be run\",\"resource\":\"example.com/" + resource);
    EXPECT_THAT(line, HasSubstr("\"level\":\"warning\""));
    EXPECT_THAT(line, HasSubstr("\"probe\":\"exec: [/no/such/program]\""));
  }
  EXPECT_TRUE(lists("example.com/other", "x=Healthy"));
  EXPECT_EQ(daemon_->count_lines("a probe cannot be run"), 2U);
}

TEST_F(HealthTest, ASlowProbeDelaysNothing) {
  start(
      "    health: [{exec: [/bin/sleep, \"250\"], timeout: 5m, initial: unhealthy}]\n"
      "  - {name: example.com/other, match: {static: [x]}, id: x,\n"
      "     health: [{exec: [/bin/sleep, \"250\"], timeout: 5m}]}\n");
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_TRUE(lists("example.com/other", "x=Healthy"));
  EXPECT_EQ(stop_daemon().exit_code, 0);  // And it waits for nothing at its end.
}

}  // namespace
}  // namespace patchbay
