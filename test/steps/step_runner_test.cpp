#include "steps/step_runner.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"
#include "fake/runner_fixture.h"

namespace patchbay::steps {
namespace {

using std::chrono_literals::operator""ms;
using testing::HasSubstr;

class StepTest : public fake::RunnerTest {
 protected:
  struct Outcome {
    loop::Subscription subscription;
    std::optional<Result<void>> result;
  };
  std::shared_ptr<Outcome> start(std::vector<Step> steps, loop::Milliseconds budget = kLong) {
    auto outcome = std::make_shared<Outcome>();
    outcome->subscription =
        runner->run(std::move(steps), budget, [outcome = outcome.get()](Result<void> result) {
          EXPECT_FALSE(outcome->result) << "told twice";
          outcome->result = std::move(result);
        });
    EXPECT_FALSE(outcome->result) << "never at once";
    return outcome;
  }
  /// Runs the steps. Returns why they failed; empty if they succeeded.
  std::string run(std::vector<Step> steps, loop::Milliseconds budget = kLong) {
    const auto outcome = start(std::move(steps), budget);
    EXPECT_TRUE(until([&] { return outcome->result.has_value(); }));
    return !outcome->result ? "nothing" : *outcome->result ? "" : outcome->result->error().message;
  }

  static Step exec(std::vector<std::string> arguments) {
    return {.kind = Step::Kind::exec, .arguments = std::move(arguments)};
  }
  static Step write(const std::string& path, const std::string& value) {
    return {.kind = Step::Kind::write, .path = path, .value = value};
  }
  static Step wait(const std::string& path, loop::Milliseconds limit = kLong) {
    return {.kind = Step::Kind::wait, .path = path, .limit = limit};
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  inline static const loop::Milliseconds kLong = fake::kPatience;
  std::unique_ptr<loop::Inotify> inotify = loop::Inotify::create(loop).value();
  std::unique_ptr<StepRunner> runner = StepRunner::create(
      loop, *inotify, threads, {.root = {}, .environment = {"PATH=/usr/bin:/bin"}});
};

TEST_F(StepTest, EmptyListOfStepsSucceeds) { EXPECT_EQ(run({}), ""); }

TEST_F(StepTest, StepsRunInOrder) {
  const std::string log = dir.write("log", "");
  const std::string add = program("echo $1 >> " + log);
  EXPECT_EQ(run({exec({add, "1"}), exec({add, "2"}), write(dir.write("attribute", ""), "3"),
                 exec({add, "4"})}),
            "");
  EXPECT_EQ(content(log), "1\n2\n4\n");
  EXPECT_EQ(content(dir / "attribute"), "3");
}

TEST_F(StepTest, FirstFailureStopsTheSteps) {
  const std::string fails = program("echo busy; exit 1");
  EXPECT_EQ(run({exec({"/bin/true"}), exec({fails}), write(dir.write("file", "old"), "new")}),
            "step 2, exec " + fails + ": busy");
  EXPECT_EQ(content(dir / "file"), "old");
}

TEST_F(StepTest, AMissingProgramFails) {
  const std::string none = dir / "none";
  EXPECT_EQ(run({exec({none})}), "step 1, exec " + none + ": No such file or directory");
}

TEST_F(StepTest, TimeLimitCoversAllSteps) {
  EXPECT_EQ(run({exec({"/bin/true"}), exec({"/bin/sleep", "1000"})}, 3000ms),
            "step 2, exec /bin/sleep: the steps were not done within 3s");
}

TEST_F(StepTest, WriteReplacesTheContent) {
  EXPECT_EQ(run({write(dir.write("file", "something long"), "1")}), "");
  EXPECT_EQ(content(dir / "file"), "1");
}

TEST_F(StepTest, WriteCreatesNoFile) {
  EXPECT_EQ(run({write(dir / "none", "1")}),
            "step 1, write " + (dir / "none") + ": it does not exist");
  EXPECT_FALSE(std::filesystem::exists(dir / "none"));
}

TEST_F(StepTest, WriteToAPipeWithoutReaderDoesNotHang) {
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(run({write(dir / "pipe", "1")}),
            "step 1, write " + (dir / "pipe") + ": cannot open it: No such device or address");
}

TEST_F(StepTest, OnlyAUsbDeviceIsReset) {
  EXPECT_EQ(run({{.kind = Step::Kind::usb_reset, .path = "/dev/null"}}),
            "step 1, usbReset /dev/null: it is not the node of a USB device");
  EXPECT_EQ(run({{.kind = Step::Kind::usb_reset, .path = "/dev/bus/usb/099/099"}}),
            "step 1, usbReset /dev/bus/usb/099/099: it does not exist");
}

TEST_F(StepTest, DoesNotWaitForAnExistingPath) { EXPECT_EQ(run({wait("/dev/null")}), ""); }

TEST_F(StepTest, WaitsForAPath) {
  const auto outcome = start({wait(dir / "a/b/node")});
  const auto other = start({wait(dir / "other", 100ms)});  // Ends after the first path is watched.
  ASSERT_TRUE(until([&] { return other->result.has_value(); }));
  EXPECT_FALSE(outcome->result);
  dir.write("a/b/beside", "");
  dir.write("a/b/node", "");
  ASSERT_TRUE(until([&] { return outcome->result.has_value(); }));
  EXPECT_TRUE(outcome->result->has_value());
}

/// The link can exist before its target.
TEST_F(StepTest, WaitsForALinkTarget) {
  std::filesystem::create_directory(dir / "by-id");
  std::filesystem::create_directory(dir / "nodes");
  std::filesystem::create_symlink("../nodes/node", dir / "by-id/link");
  const auto outcome = start({wait(dir / "by-id/link")});
  const auto other = start({wait(dir / "other", 100ms)});
  ASSERT_TRUE(until([&] { return other->result.has_value(); }));
  EXPECT_FALSE(outcome->result);
  dir.write("nodes/node", "");
  ASSERT_TRUE(until([&] { return outcome->result.has_value(); }));
  EXPECT_TRUE(outcome->result->has_value());
}

/// Directories of /proc send no inotify events.
TEST_F(StepTest, WaitsForAPathInProc) {
  const int descriptor = 400;
  const auto outcome = start({wait("/proc/self/fd/" + std::to_string(descriptor))});
  const auto other = start({wait(dir / "other", 100ms)});
  ASSERT_TRUE(until([&] { return other->result.has_value(); }));
  EXPECT_FALSE(outcome->result);
  const UniqueFd opened(::dup2(STDIN_FILENO, descriptor));
  ASSERT_TRUE(until([&] { return outcome->result.has_value(); }));
  EXPECT_TRUE(outcome->result->has_value());
}

TEST_F(StepTest, PathThatNeverExistsFails) {
  EXPECT_EQ(run({wait(dir / "none", 100ms)}),
            "step 1, wait " + (dir / "none") + ": does not exist after 100ms");
  EXPECT_EQ(run({wait(dir / "none", 1000ms)}, 100ms),
            "step 1, wait " + (dir / "none") + ": the steps were not done within 100ms");
}

TEST_F(StepTest, HostRootAppliesToPathsButNotToPrograms) {
  runner = StepRunner::create(loop, *inotify, threads,
                              {.root = paths::HostRoot(dir.path()), .environment = {}});
  dir.write("etc/file", "old");
  EXPECT_EQ(run({exec({"/bin/true"}), write("/etc/file", "new"), wait("/etc/file")}), "");
  EXPECT_EQ(content(dir / "etc/file"), "new");
}

TEST_F(StepTest, EndingTheSubscriptionStopsTheSteps) {
  const std::string marks = program("echo $$ > " + (dir / "pid") + "; sleep 1000");
  const auto outcome = start({exec({marks}), write(dir.write("file", "old"), "new")});
  ASSERT_TRUE(until([&] { return std::filesystem::exists(dir / "pid"); }));
  outcome->subscription.reset();
  EXPECT_EQ(run({exec({"/bin/true"})}), "");
  EXPECT_FALSE(outcome->result);
  EXPECT_EQ(content(dir / "file"), "old");
}

}  // namespace
}  // namespace patchbay::steps
