#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/unique_fd.h"
#include "fake/hanging_mount.h"
#include "fake/kernel_devices.h"
#include "fake/stalling_mount.h"
#include "health/check_fixture.h"
#include "host/file_trigger.h"
#include "loop/executor.h"
#include "paths/path_chain.h"
#include "paths/path_follower.h"

namespace patchbay::health {
namespace {

using std::chrono_literals::operator""ms;
using testing::ElementsAre;

class HealthKernelTest : public CheckTest {
 protected:
  static Check read(const std::string& path, loop::Milliseconds timeout) {
    return {.kind = Check::Kind::files, .names = {path}, .timeout = timeout};
  }
  static Check open(const std::string& path, loop::Milliseconds timeout = kLong) {
    return {.kind = Check::Kind::open, .path = path, .timeout = timeout};
  }
};

/// A nodev mount returns the same error as the device cgroup.
TEST_F(HealthKernelTest, CheckWithoutPermissionCannotRun) {
  const fake::NoDeviceMount mount;
  if (!mount.mounted()) GTEST_SKIP() << "no file system to mount here: it takes root";
  const std::string node = mount / "null";
  ASSERT_EQ(::mknod(node.c_str(), S_IFCHR | 0666, ::gnu_dev_makedev(1, 3)), 0);
  EXPECT_THAT(run(open(node)),
              cannot_run("no permission to open " + node +
                         " (the device cgroup, a nodev mount or the file's mode)"));
}

TEST_F(HealthKernelTest, NodeWithoutDeviceFails) {
  const std::string node = dir / "nothing";
  if (::mknod(node.c_str(), S_IFCHR | 0666, ::gnu_dev_makedev(1, 250)) != 0) {
    GTEST_SKIP() << "no device nodes to make here: it takes root";
  }
  EXPECT_THAT(run(open(node)), failed("no device behind " + node));
}

TEST_F(HealthKernelTest, HungFileSystemDelaysNoOtherCheck) {
  SKIP_IF(fake::HangingMount::unavailable());
  fake::HangingMount nfs;
  EXPECT_THAT(run(read(nfs / "file", 50ms)), failed("no answer within 50ms"));
  EXPECT_THAT(run(read(nfs / "file", kLong)), failed("an earlier check timed out and still hangs"));
  EXPECT_THAT(run(open(nfs / "node", 50ms)), failed("no answer within 50ms"));
  for (int i = 0; i < 6; ++i) {
    EXPECT_THAT(run(read(nfs / std::to_string(i), 50ms)), failed("no answer within 50ms"));
  }
  EXPECT_EQ(threads.hanging(), 8U);
  EXPECT_THAT(run(open("/dev/null")), done());
  nfs.let_go();
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; }));
  EXPECT_EQ(run(read(nfs / "file", kLong)).kind, CheckResult::Kind::done);
}

/// A program that waits for a hung file system ends late, or cannot be killed.
TEST_F(HealthKernelTest, ProgramOnAHungFileSystemTimesOut) {
  SKIP_IF(fake::HangingMount::unavailable());
  const fake::HangingMount nfs;
  EXPECT_THAT(
      run({.kind = Check::Kind::exec, .arguments = {"/bin/ls", nfs / "file"}, .timeout = 2000ms}),
      failed("no answer within 2s"));
}

/// Whether a child of this process waits for a hung file system.
bool hangs_in_child() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::ranges::any_of(threads, [](const auto& thread) {
    std::ifstream children(thread.path() / "children");
    for (pid_t pid = 0; children >> pid;) {
      if (fake::hangs_on_mount(pid)) return true;
    }
    return false;
  });
}

/// Tests programs whose start hangs. The thread that starts such a program waits in the kernel.
class HungStartTest : public HealthKernelTest {
 protected:
  static Check exec(const std::string& program) {
    return {.kind = Check::Kind::exec, .arguments = {program}, .timeout = 3000ms};
  }
  static auto does_not_start(const std::string& program) {
    return failed(program +
                  " does not start: the file system of the program or its interpreter hangs");
  }
  /// Expects that a program runs while the start of another one hangs.
  void expect_others_go_on() {
    EXPECT_THAT(run({.kind = Check::Kind::exec, .arguments = {"/bin/true"}, .timeout = kLong}),
                done());
  }
};

TEST_F(HungStartTest, KillsAProgramWhileItStarts) {
  SKIP_IF(fake::HangingMount::unavailable());
  fake::HangingMount nfs;
  const std::string program = nfs / "probe";
  const auto running = start(exec(program));
  ASSERT_TRUE(until([] { return hangs_in_child(); }));
  expect_others_go_on();
  ASSERT_TRUE(until([&] { return running->result.has_value(); }));
  EXPECT_THAT(*running->result, does_not_start(program));
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; })) << "the thread is there again";
  nfs.let_go();
  EXPECT_THAT(run(exec(program)), cannot_run(program + ": No such file or directory"));
}

TEST_F(HungStartTest, KillsAScriptWhoseInterpreterHangs) {
  SKIP_IF(fake::HangingMount::unavailable());
  const fake::HangingMount nfs;
  const std::string script = dir.write("script", "#! " + (nfs / "sh") + " -e\nexit 0\n");
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  const auto running = start(exec(script));
  ASSERT_TRUE(until([] { return hangs_in_child(); }));
  expect_others_go_on();
  ASSERT_TRUE(until([&] { return running->result.has_value(); }));
  EXPECT_THAT(*running->result, does_not_start(script));
}

/// The server of the file system has the request and does not answer. No signal ends this wait.
TEST_F(HungStartTest, UnkillableStartBlocksOneThreadAndNeverRuns) {
  SKIP_IF(fake::HangingMount::unavailable());
  fake::StallingMount nfs;
  const std::string program = nfs / "probe";
  EXPECT_THAT(run(exec(program)), does_not_start(program));
  EXPECT_EQ(nfs.reads(), 1U);
  EXPECT_THAT(run(exec(program)), does_not_start(program));
  EXPECT_EQ(nfs.reads(), 1U) << "it is begun again";
  EXPECT_EQ(threads.hanging(), 1U);
  expect_others_go_on();
  // The answer lets execve() continue, but the program must not start.
  const std::string begun = dir / "begun";
  nfs.answer("#!/bin/sh\necho > " + begun + "\n");
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; }));
  EXPECT_TRUE(until([] { return ::waitid(P_ALL, 0, nullptr, WEXITED | WNOHANG | WNOWAIT) != 0; }))
      << "no child is left";
  EXPECT_FALSE(std::filesystem::exists(begun));
  EXPECT_THAT(run(exec(program)), done());
  EXPECT_TRUE(std::filesystem::exists(begun));
}

/// The process that hangs in execve() must not keep the daemon's descriptors open.
TEST_F(HungStartTest, HungStartKeepsNoDescriptorOfTheDaemon) {
  SKIP_IF(fake::HangingMount::unavailable());
  const fake::HangingMount nfs;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const UniqueFd reader(pipe[0]);
  UniqueFd writer(pipe[1]);
  const auto running = start(exec(nfs / "probe"));
  ASSERT_TRUE(until([] { return hangs_in_child(); }));
  writer.reset();
  pollfd end{.fd = reader.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&end, 1, 0), 1);
  EXPECT_EQ(end.revents, POLLHUP);
}

TEST_F(HealthKernelTest, HungPathDelaysNoOtherPathCheck) {
  using Kind = paths::PathState::Kind;
  SKIP_IF(fake::HangingMount::unavailable());
  fake::HangingMount nfs;
  const auto checker = paths::PathChecker::create(threads, {});
  const auto kinds = [&](loop::Milliseconds timeout) {
    paths::PathResults result;
    const auto running = checker->run({{"/dev/null"}, {nfs / "lib"}, {"/dev/none"}}, timeout,
                                      [&](paths::PathResults found) { result.merge(found); });
    EXPECT_TRUE(until([&] { return result.size() == 3; }));
    return std::vector{result["/dev/null"].state.kind, result["/dev/none"].state.kind,
                       result[nfs / "lib"].state.kind};
  };
  // The timeout is long enough for the two paths that do not hang.
  EXPECT_THAT(kinds(3000ms), ElementsAre(Kind::exists, Kind::missing, Kind::unresponsive));
  EXPECT_THAT(kinds(kLong), ElementsAre(Kind::exists, Kind::missing, Kind::unresponsive));
  EXPECT_EQ(threads.hanging(), 1U) << "no second thread hangs";
  nfs.let_go();
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; }));
  EXPECT_THAT(kinds(kLong), ElementsAre(Kind::exists, Kind::missing, Kind::missing));
}

/// A watch on a network file system could hang the loop, so unknown file systems are not watched.
TEST_F(HealthKernelTest, ChainEndsAtAnUnknownFileSystem) {
  const std::string mount = dir / "mount";
  std::filesystem::create_directory(mount);
  if (::mount("patchbay", mount.c_str(), "proc", 0, nullptr) != 0) {
    GTEST_SKIP() << "no file system to mount here: it takes root";
  }
  const auto chain = paths::path_chain({}, mount + "/sys/kernel").watch_points;
  EXPECT_EQ(::umount2(mount.c_str(), MNT_DETACH), 0);
  ASSERT_THAT(chain, testing::SizeIs(testing::Ge(2U)));
  EXPECT_EQ(chain.back().path, dir.path());
  EXPECT_EQ(chain.back().entry, "mount");
}

struct IdleListener final : paths::PathListener {};

TEST_F(HealthKernelTest, HungPathDelaysNoOtherEvents) {
  SKIP_IF(fake::HangingMount::unavailable());
  fake::HangingMount nfs;
  const auto inotify = loop::Inotify::create(loop).value();
  const auto checker = paths::PathChecker::create(threads, {});
  IdleListener listener;
  paths::PathFollower paths(loop, *checker, {.inotify = inotify.get()});
  const auto comes_to = [&](const std::string& path, paths::PathState::Kind kind) {
    return until([&] { return paths.state(path).kind == kind; });
  };
  // The link to the hung path is checked first, because paths are checked in order.
  const std::string hangs = dir / "a";
  std::filesystem::create_symlink(nfs / "lib", hangs);
  const std::string beside = dir.write("b", "");
  paths.follow(hangs, listener);
  paths.follow(beside, listener);
  EXPECT_TRUE(comes_to(hangs, paths::PathState::Kind::unresponsive));
  EXPECT_TRUE(until([&] { return paths.idle(); }));
  std::filesystem::remove(beside);
  EXPECT_TRUE(comes_to(beside, paths::PathState::Kind::missing));
  EXPECT_EQ(threads.hanging(), 1U);
  nfs.let_go();
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; }));
}

/// A hung open() on the loop thread would block all other work of the daemon.
TEST_F(HealthKernelTest, NoFileIsOpenedOnTheLoopThread) {
  SKIP_IF(fake::HangingMount::unavailable());
  fake::HangingMount nfs;
  const auto inotify = loop::Inotify::create(loop).value();
  const auto checker = paths::PathChecker::create(threads, {});
  paths::PathFollower paths(loop, *checker, {.inotify = inotify.get()});
  host::FileTrigger trigger(loop, paths, [] {});
  std::vector<std::string> files;
  for (int i = 0; i < 5; ++i) files.push_back(nfs / std::to_string(i));
  trigger.follow(files);
  EXPECT_TRUE(until([&] { return threads.hanging() == loop::kMaxHungPerMount; }));
  bool worked = false;
  loop.work([] {}, [&] { worked = true; });
  EXPECT_TRUE(until([&] { return worked; }));
  nfs.let_go();
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; }));
}

}  // namespace
}  // namespace patchbay::health
