#include "health/check_runner.h"

#include <sys/stat.h>

#include <filesystem>

#include "health/check_fixture.h"

namespace patchbay::health {
namespace {

using std::chrono_literals::operator""ms;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class OpenTest : public CheckTest {
 protected:
  static Check open(const std::string& path, bool read = true, bool write = false) {
    return {
        .kind = Check::Kind::open, .path = path, .read = read, .write = write, .timeout = kLong};
  }
};

TEST_F(OpenTest, OpenableFilePasses) {
  EXPECT_THAT(run(open("/dev/null", true, true)), done());
  EXPECT_THAT(run(open(dir.write("file", ""))), done());
}

TEST_F(OpenTest, MissingFileFails) {
  EXPECT_THAT(run(open("/dev/ttyUSB99")), failed("/dev/ttyUSB99 does not exist"));
}

TEST_F(OpenTest, OpensWithTheRequestedMode) {
  EXPECT_THAT(run(open(dir.path(), true, false)), done());
  EXPECT_THAT(run(open(dir.path(), true, true)),
              failed("cannot open " + dir.path() + ": Is a directory"));
}

/// The pipe has no reader, so a blocking open() would hang.
TEST_F(OpenTest, OpeningAPipeDoesNotHang) {
  const std::string pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(run(open(pipe)), done());
  EXPECT_THAT(run(open(pipe, false, true)), failed("no device behind " + pipe));
}

TEST_F(OpenTest, OpensPathBelowHostRoot) {
  use_root(dir.path());
  EXPECT_THAT(run(open("/dev/ttyUSB0")), failed("/dev/ttyUSB0 does not exist"));
  dir.write("dev/ttyUSB0", "");
  EXPECT_THAT(run(open("/dev/ttyUSB0")), done());
}

TEST_F(OpenTest, NoDescriptorStaysOpen) {
  ASSERT_THAT(run(open("/dev/null")), done());
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = descriptors();
  for (int i = 0; i < 20; ++i) ASSERT_THAT(run(open("/dev/null")), done());
  EXPECT_EQ(descriptors(), before);
}

TEST_F(CheckTest, ReadsAttributesEachTime) {
  dir.write("net/eth0/carrier", "0\n");
  const Check check{.kind = Check::Kind::attributes,
                    .syspath = dir.path(),
                    .names = {"net/*/carrier", "net/eth0/speed"},
                    .timeout = kLong};
  EXPECT_THAT(run(check).values, ElementsAre(Pair("net/*/carrier", ElementsAre("0"))));
  dir.write("net/eth0/carrier", "1\n");
  dir.write("net/eth0/speed", "1000\n");
  dir.write("net/eth/carrier", "0\n");
  const auto result = run(check);
  EXPECT_EQ(result.kind, CheckResult::Kind::done);
  EXPECT_THAT(result.values, ElementsAre(Pair("net/*/carrier", ElementsAre("0", "1")),
                                         Pair("net/eth0/speed", ElementsAre("1000"))));
}

TEST_F(CheckTest, ReadsPropertiesOfTheDevice) {
  const auto result = run({.kind = Check::Kind::properties,
                           .syspath = "/sys/devices/virtual/mem/null",
                           .names = {"DEVNAME", "NOT_THERE"},
                           .timeout = kLong});
  EXPECT_EQ(result.kind, CheckResult::Kind::done);
  EXPECT_THAT(result.values, ElementsAre(Pair("DEVNAME", ElementsAre("/dev/null"))));
}

TEST_F(CheckTest, RemovedDeviceHasNoProperties) {
  const auto result = run({.kind = Check::Kind::properties,
                           .syspath = "/sys/devices/virtual/mem/gone",
                           .names = {"DEVNAME"},
                           .timeout = kLong});
  EXPECT_EQ(result.kind, CheckResult::Kind::done);
  EXPECT_THAT(result.values, IsEmpty());
}

TEST_F(CheckTest, ReadsFilesBelowHostRoot) {
  dir.write("etc/driver", "onload 7\n");
  use_root(dir.path());
  const auto result =
      run({.kind = Check::Kind::files, .names = {"/etc/driver", "/etc/none"}, .timeout = kLong});
  EXPECT_EQ(result.kind, CheckResult::Kind::done);
  EXPECT_THAT(result.values, ElementsAre(Pair("/etc/driver", ElementsAre("onload 7"))));
}

class ExecTest : public CheckTest {
 protected:
  Check exec(const std::string& script, loop::Milliseconds timeout = kLong) {
    return {.kind = Check::Kind::exec,
            .arguments = {program(script), "/dev/ttyUSB0"},
            .timeout = timeout};
  }
};

TEST_F(ExecTest, ExitCode0Passes) {
  EXPECT_THAT(run(exec("echo nothing is wrong; test \"$1\" = /dev/ttyUSB0 && test $# = 1")),
              done());
}

TEST_F(ExecTest, LastPrintedLineIsTheReason) {
  EXPECT_THAT(run(exec("echo first; echo '  the scope is off ' >&2; echo; echo ' '; exit 1")),
              failed("the scope is off"));
}

TEST_F(ExecTest, SilentProgramFailsWithItsExitCode) {
  EXPECT_THAT(run(exec("exit 7")), failed("exit code 7"));
}

TEST_F(ExecTest, TheReasonIsPrintable) {
  EXPECT_THAT(run(exec("printf 'clear \\033[2J\\377'; exit 1")), failed("clear \\x1b[2J\\xff"));
}

TEST_F(ExecTest, LongReasonIsTruncated) {
  const auto result = run(exec("head -c 5000 /dev/zero | tr '\\0' a; exit 1"));
  EXPECT_EQ(result.reason, std::string(200, 'a') + "…");
}

TEST_F(ExecTest, SignalledProgramFails) {
  EXPECT_THAT(run(exec("kill -SEGV $$")), failed("ended by signal 11 (Segmentation fault)"));
}

TEST_F(ExecTest, HungProgramFails) {
  EXPECT_THAT(run(exec("trap '' TERM; echo waiting; sleep 1000", 2000ms)),
              failed("no answer within 2s"));
}

TEST_F(ExecTest, HungProgramRunsAgainAfterItsEnd) {
  const Check check = exec("test -e " + (dir / "well") + " || sleep 1000", 2000ms);
  EXPECT_THAT(run(check), failed("no answer within 2s"));
  dir.write("well", "");
  // The killed program may not have exited yet, so the test retries.
  CheckResult result;
  const auto end = loop.now() + fake::kPatience;
  do {
    result = run(check);
  } while (result.reason.find("has not exited yet") != std::string::npos && loop.now() < end);
  EXPECT_THAT(result, done());
}

TEST_F(ExecTest, AMissingProgramCannotBeRun) {
  EXPECT_THAT(run({.kind = Check::Kind::exec, .arguments = {dir / "none"}, .timeout = kLong}),
              cannot_run((dir / "none") + ": No such file or directory"));
}

TEST_F(ExecTest, AFileThatIsNoProgramCannotBeRun) {
  const std::string file = dir.write("data", "not a program");
  EXPECT_THAT(run({.kind = Check::Kind::exec, .arguments = {file}, .timeout = kLong}),
              cannot_run(file + ": Permission denied"));
}

TEST_F(ExecTest, ReportsNothingAfterTheSubscriptionEnded) {
  const auto killed = start(exec("sleep 1000"));
  const auto missing =
      start({.kind = Check::Kind::exec, .arguments = {dir / "none"}, .timeout = kLong});
  killed->subscription.reset();
  missing->subscription.reset();
  EXPECT_THAT(run(exec("exit 0")), done());
  EXPECT_FALSE(killed->result);
  EXPECT_FALSE(missing->result);
}

}  // namespace
}  // namespace patchbay::health
