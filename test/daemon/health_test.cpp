// Tests the health of units in the lists that the kubelet gets.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/programs.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;
using testing::HasSubstr;

class HealthTest : public fake::DaemonTest {
 protected:
  /// Starts a kubelet and a daemon with one gopher. `keys` are further keys of its resource,
  /// `prefix` is a command that starts the daemon.
  void start(const std::string& keys, std::vector<std::string> prefix = {}) {
    gophers_.plug("g1");
    start_kubelet();
    start_daemon_in(std::move(prefix), gophers_.config(keys));
  }
  /// A probe program that prints "no signal" and fails while the file "broken" exists.
  [[nodiscard]] std::string program() const {
    const std::string path =
        dir_.write("probe.sh", "#!/bin/sh\necho \"looking at $1\"\n[ ! -e '" + (dir_ / "broken") +
                                   "' ] || { echo no signal; exit 1; }\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  /// Number of the daemon's watches on the directory, according to the kernel.
  [[nodiscard]] size_t watches_of(const std::string& directory) const {
    struct stat status {};
    EXPECT_EQ(::stat(directory.c_str(), &status), 0);
    const std::string inode = fmt::format(" ino:{:x} ", status.st_ino);
    size_t count = 0;
    for (const auto& fd : fs::directory_iterator(fmt::format("/proc/{}/fdinfo", daemon_->pid()))) {
      std::ifstream info(fd.path());
      for (std::string line; std::getline(info, line);) {
        if (line.starts_with("inotify ") && line.find(inode) != std::string::npos) ++count;
      }
    }
    return count;
  }
  /// The next log line of the unit, as JSON, that contains `text`.
  [[nodiscard]] std::string log_line(const std::string& text) const {
    return daemon_->wait_for_line(text).value_or("no line with " + text);
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(HealthTest, ChangeOfProbedFileChangesHealthAtOnce) {
  const std::string state = dir_.write("state/g1", "up");
  // No period of the probe ends in this test.
  start("    health: [{file: {" + (dir_ / "state/$(name)") +
        ": up}, period: 1h, failureThreshold: 1}]\n");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  // Replaces the file in one step. Otherwise the daemon could read it while it is empty.
  fs::rename(dir_.write("state/new", "down"), state);
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_THAT(log_line("\"unit is unhealthy\""), HasSubstr("is \\\"down\\\""));
  size_t from = kubelet_->log().size();
  dir_.write("state/g1", "up");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", from));
  EXPECT_THAT(log_line("\"unit is healthy again\""), HasSubstr("\"previous_reason\":"));
  from = kubelet_->log().size();
  fs::remove(state);
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy", from));
  from = kubelet_->log().size();
  fs::rename(dir_.write("state/new", "up"), state);
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", from));
}

TEST_F(HealthTest, UnitIsUnhealthyWhileProbeProgramFails) {
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

TEST_F(HealthTest, UnitIsUnhealthyWhileNeededPathIsMissing) {
  dir_.write("lib/g1", "");
  dir_.write("lib/g2", "");
  gophers_.plug("g2");
  start("    mounts: [{hostPath: " + (dir_ / "lib/$(name)") + ", containerPath: /lib/gopher}]\n");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  fs::remove(dir_ / "lib/g1");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy g2=Healthy"));
  // Checks for a watch, because the periodic check could also have found the loss.
  EXPECT_EQ(watches_of(dir_ / "lib"), 1U);
  EXPECT_THAT(log_line("\"unit is unhealthy\""), HasSubstr("lib/g1 does not exist"));
  size_t from = kubelet_->log().size();
  dir_.write("lib/g1", "");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy", from));
  from = kubelet_->log().size();
  fs::rename(dir_ / "lib", dir_ / "old");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy g2=Unhealthy", from));
  EXPECT_EQ(watches_of(dir_ / "old"), 0U);
  EXPECT_EQ(watches_of(dir_.path()), 1U);
  from = kubelet_->log().size();
  fs::rename(dir_ / "old", dir_ / "lib");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy", from));
}

TEST_F(HealthTest, ProbeProgramThatCannotRunIsLoggedOnceAsWarning) {
  start("    health: [{exec: [/no/such/program], period: 100ms}]\n");
  ASSERT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_THAT(
      log_line("\"unit is unhealthy\""),
      HasSubstr("\"reason\":\"cannot be run: /no/such/program: No such file or directory\""));
  const std::string line = log_line(R"("probe cannot run","resource":"example.com/gopher)");
  EXPECT_THAT(line, HasSubstr("\"level\":\"warning\""));
  EXPECT_THAT(line, HasSubstr("\"probe\":\"exec: [/no/such/program]\""));
  EXPECT_EQ(daemon_->count_lines("probe cannot run"), 1U);
}

TEST_F(HealthTest, SlowProbeDelaysNeitherListsNorShutdown) {
  start(
      "    health: [{exec: [/bin/sleep, \"250\"], timeout: 5m}]\n"
      "  - {name: example.com/other, match: {static: [x]}, id: x,\n"
      "     health: [{exec: [/bin/sleep, \"250\"], timeout: 5m}]}\n");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_TRUE(lists("example.com/other", "x=Healthy"));
  EXPECT_EQ(stop_daemon().exit_code, 0);  // The exit does not wait for the probe.
}

/// For probe programs that misbehave. With failureThreshold 1, one run decides.
class BadProgramTest : public HealthTest {
 protected:
  void start_probe(const std::string& script, const std::string& timeout = "5m") {
    // AddressSanitizer keeps 256 MB of freed memory, which hides the daemon's own use.
    start("    health: [{exec: [" + fake::write_program(dir_, "bad", script) +
              ", $(name)], period: 1h, failureThreshold: 1, timeout: " + timeout + "}]\n",
          {"env", "ASAN_OPTIONS=quarantine_size_mb=1"});
  }
  /// Why the unit is unhealthy: the reason in the error of Allocate, which must also be in the log.
  [[nodiscard]] std::string reason() const {
    if (const auto listed = lists(kGopher, "g1=Unhealthy"); !listed) return listed.message();
    const auto refused = kubelet_->allocate(kGopher, {"g1"});
    const std::string begin = "FAILED_PRECONDITION: unit 'g1' is unhealthy: ";
    if (refused || !refused.error().message.starts_with(begin)) return "the unit is given";
    const std::string reason = refused.error().message.substr(begin.size());
    EXPECT_THAT(log_line("\"unit is unhealthy\""), HasSubstr(reason + "\"}"));
    return reason;
  }
  /// Waits until the process whose id the program wrote to the file has ended.
  [[nodiscard]] static bool ends(const std::string& file) {
    std::string pid;
    return (std::ifstream(file) >> pid) && fake::wait_until([&] {
             std::ifstream stat("/proc/" + pid + "/stat");
             std::string number;
             std::string name;
             std::string state;
             return !(stat >> number >> name >> state) || state == "Z" || state == "X";
           });
  }
  /// The daemon's peak memory in KiB.
  [[nodiscard]] size_t peak_memory() const {
    std::ifstream status("/proc/" + std::to_string(daemon_->pid()) + "/status");
    for (std::string word; status >> word;) {
      size_t size = 0;
      if (word == "VmHWM:" && status >> size) return size;
    }
    return 0;
  }
};

TEST_F(BadProgramTest, HungProgramIsKilledWithItsChildren) {
  start_probe("trap '' TERM\nsleep 1000 &\necho $! > " + (dir_ / "child") + "\necho $$ > " +
                  (dir_ / "self") + "\necho asking\nwhile :; do wait; done\n",
              "3s");
  EXPECT_EQ(reason(), "no answer within 3s");
  EXPECT_TRUE(ends(dir_ / "self"));
  EXPECT_TRUE(ends(dir_ / "child"));
}

/// The child keeps the output pipe open. The probe does not wait until the pipe is closed.
TEST_F(BadProgramTest, ChildrenLeftByProbeProgramAreKilled) {
  start_probe("sleep 1000 &\necho $! > " + (dir_ / "child") + "\necho gone to sleep\nexit 1\n");
  EXPECT_EQ(reason(), "gone to sleep");
  EXPECT_TRUE(ends(dir_ / "child"));
}

TEST_F(BadProgramTest, ReasonIsLastLineOfHugeOutput) {
  const std::string go = dir_ / "go";
  start_probe("until [ -e " + go +
              " ]; do sleep 0.01; done\n"
              "head -c 1000000000 /dev/zero\necho\necho too much\nexit 1\n");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  const size_t before = peak_memory();
  ASSERT_GT(before, 0U);
  dir_.write("go", "");
  EXPECT_EQ(reason(), "too much");
  EXPECT_LT(peak_memory(), before + size_t{64} * 1024);
}

/// For a program that prints without end for g1, and succeeds for other units.
class ProgramFloodTest : public BadProgramTest {
 protected:
  void start_flood(const std::string& timeout) {
    start_probe("[ $1 = g1 ] || exit 0\necho $$ > " + (dir_ / "self") +
                    "\ncat /dev/zero &\ncat /dev/zero &\nexec cat /dev/zero\n",
                timeout);
  }
};

TEST_F(ProgramFloodTest, FloodingProgramDelaysNothingAndEndsWithDaemon) {
  start_flood("5m");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  // Waits for content, because the file exists before the program writes to it.
  ASSERT_TRUE(fake::wait_until([&] {
    std::error_code none;
    const auto size = fs::file_size(dir_ / "self", none);
    return !none && size > 0;
  }));
  gophers_.plug("g2");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_TRUE(ends(dir_ / "self"));
}

TEST_F(ProgramFloodTest, FloodingProgramIsKilledAtTimeout) {
  start_flood("3s");
  EXPECT_EQ(reason(), "no answer within 3s");
  EXPECT_TRUE(ends(dir_ / "self"));
}

}  // namespace
}  // namespace patchbay
