#include "loop/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include <gmock/gmock.h>

#include "base/unique_fd.h"
#include "fake/programs.h"
#include "fake/run_until.h"
#include "loop/work_queue.h"

namespace patchbay::loop {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::ElementsAre;
using Kind = ChildResult::Kind;

/// Whether the process runs. A zombie does not run.
bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return (stat >> number >> name >> state) && state != "Z" && state != "X";
}

/// The process id that a program wrote to the file; 0 if it has not.
pid_t pid_in(const std::string& path) {
  pid_t pid = 0;
  std::ifstream(path) >> pid;
  return pid;
}

size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

/// Whether this process has no child, not even a zombie.
bool is_childless() { return ::waitid(P_ALL, 0, nullptr, WEXITED | WNOHANG | WNOWAIT) != 0; }

/// A script that starts a process outside its process group. The process writes its id to the file,
/// and sleeps.
std::string daemon_script(const std::string& pid_file) {
  return "setsid sh -c 'echo $$ > " + pid_file + "; exec sleep 1000' & until [ -s " + pid_file +
         " ]; do sleep 0.01; done";
}

class ChildProcessTest : public testing::Test {
 protected:
  ChildResult run(const std::string& script, Milliseconds timeout = fake::kPatience,
                  std::vector<std::string> environment = {"PATH=/usr/bin:/bin"}) {
    std::optional<ChildResult> result;
    auto child = run_child(loop, threads,
                           {.arguments = {"/bin/sh", "-c", script},
                            .environment = std::move(environment),
                            .timeout = timeout},
                           [&](ChildResult r) { result = std::move(r); });
    EXPECT_TRUE(until([&] { return result.has_value(); }));
    return result.value_or(ChildResult{});
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }

  fake::TempDir dir;
  UvLoop loop;
  WorkQueue threads{loop};
};

TEST_F(ChildProcessTest, ReportsExitCodeAndOutput) {
  const auto result = run("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.kind, Kind::exited);
  EXPECT_EQ(result.number, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST_F(ChildProcessTest, ReportsSignalThatEndsProgram) {
  const auto result = run("kill -SEGV $$");
  EXPECT_EQ(result.kind, Kind::signalled);
  EXPECT_EQ(result.number, SIGSEGV);
}

TEST_F(ChildProcessTest, ProgramGetsItsSocketAsDescriptorThree) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd ours(pair[0]);
  std::optional<ChildResult> result;
  const auto process = loop.spawn(
      {.arguments = {"/bin/sh", "-c", "read line <&3; echo \"got $line\" >&3; ls /proc/$$/fd"},
       .environment = {"PATH=/usr/bin:/bin"},
       .output = UniqueFd(::open((dir / "output").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)),
       .socket = UniqueFd(pair[1]),
       .start_within = fake::kPatience},
      threads, {.started = [] {}, .ended = [&](ChildResult r) { result = std::move(r); }});
  ASSERT_EQ(::write(ours.get(), "ping\n", 5), 5);
  ASSERT_TRUE(until([&] { return result.has_value(); }));
  std::array<char, 64> answer{};
  ASSERT_EQ(::read(ours.get(), answer.data(), answer.size()), 9);
  EXPECT_STREQ(answer.data(), "got ping\n");
  // The program's end closed the last descriptor of the other end.
  EXPECT_EQ(::read(ours.get(), answer.data(), answer.size()), 0);
  std::ifstream output(dir / "output");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(output), {}), "0\n1\n2\n3\n");
}

TEST_F(ChildProcessTest, ReportsWhyProgramCannotBeRun) {
  const auto reason_of = [&](const std::string& path) {
    std::optional<ChildResult> result;
    const auto child = run_child(loop, threads, {.arguments = {path}, .timeout = fake::kPatience},
                                 [&](ChildResult r) { result = std::move(r); });
    EXPECT_TRUE(until([&] { return result.has_value(); }));
    EXPECT_EQ(result.value_or(ChildResult{}).kind, Kind::cannot_start);
    return result.value_or(ChildResult{}).reason;
  };
  EXPECT_EQ(reason_of(dir / "none"), "No such file or directory");
  EXPECT_EQ(reason_of(dir.write("data", "")), "Permission denied");
  EXPECT_TRUE(until(is_childless));
}

TEST_F(ChildProcessTest, RunsAFileWithoutInterpreterAsShellScript) {
  const std::string program = dir.write("program", "echo $1; exit 7\n");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  std::optional<ChildResult> result;
  const auto child =
      run_child(loop, threads, {.arguments = {program, "word"}, .timeout = fake::kPatience},
                [&](ChildResult r) { result = std::move(r); });
  ASSERT_TRUE(until([&] { return result.has_value(); }));
  EXPECT_EQ(result->number, 7);
  EXPECT_EQ(result->output, "word\n");
}

TEST_F(ChildProcessTest, ProgramInheritsNothingFromTheDaemon) {
  ASSERT_EQ(::setenv("PATCHBAY_TEST_SECRET", "token", 1), 0);
  const UniqueFd careless(::open("/dev/zero", O_RDONLY));  // Without O_CLOEXEC, as in some library.
  const auto result =
      run("pwd; readlink /proc/$$/fd/0; ls /proc/$$/fd; exec env", fake::kPatience, {"A=b"});
  ::unsetenv("PATCHBAY_TEST_SECRET");
  EXPECT_THAT(result.output, testing::MatchesRegex("/\n/dev/null\n0\n1\n2\n(PWD=/\n|A=b\n)+"));
}

TEST_F(ChildProcessTest, EnvironmentHasPathAndNamedVariables) {
  ASSERT_EQ(::setenv("PATCHBAY_TEST_NODE", "bench-1", 1), 0);
  const std::string path = ::getenv("PATH");
  EXPECT_THAT(child_environment({"PATCHBAY_TEST_NODE", "PATCHBAY_TEST_UNSET"}),
              ElementsAre("PATH=" + path, "PATCHBAY_TEST_NODE=bench-1"));
  ::unsetenv("PATCHBAY_TEST_NODE");
}

TEST_F(ChildProcessTest, ProgramLeadsItsOwnSessionWithoutBlockedSignals) {
  EXPECT_THAT(run("test $(cut -d' ' -f6 /proc/$$/stat) = $$ && echo leads; "
                  "grep SigBlk /proc/self/status; grep SigIgn /proc/self/status")
                  .output,
              testing::MatchesRegex("leads\nSigBlk:\t0000000000000000\nSigIgn:\t0+\n"));
}

TEST_F(ChildProcessTest, KeepsTheEndOfALongOutput) {
  const auto result = run("head -c 100000000 /dev/zero; echo; echo the end");
  EXPECT_EQ(result.kind, Kind::exited);
  EXPECT_EQ(result.output.size(), 4096U);
  EXPECT_TRUE(result.output.ends_with("\nthe end\n"));
}

TEST_F(ChildProcessTest, KillsAProgramThatIgnoresSigtermWithItsGroup) {
  const auto result = run("trap '' TERM; sleep 1000 & echo $! > " + (dir / "pid") + "; wait", 3s);
  EXPECT_EQ(result.kind, Kind::timed_out);
  const pid_t grandchild = pid_in(dir / "pid");
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(until([&] { return !runs(grandchild) && is_childless(); }));
}

TEST_F(ChildProcessTest, KillsProcessesLeftInTheGroup) {
  const auto result = run("sleep 1000 & echo $! > " + (dir / "pid"));
  EXPECT_EQ(result.kind, Kind::exited);
  const pid_t grandchild = pid_in(dir / "pid");
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(until([&] { return !runs(grandchild); }));
}

/// The grandchild keeps the pipe open after the program's end.
TEST_F(ChildProcessTest, DoesNotWaitForADaemonizedGrandchild) {
  const auto result = run("echo started; " + daemon_script(dir / "pid"));
  EXPECT_EQ(result.kind, Kind::exited);
  EXPECT_EQ(result.output, "started\n");
  const pid_t daemon = pid_in(dir / "pid");
  ASSERT_GT(daemon, 0);
  EXPECT_TRUE(runs(daemon)) << "the daemon left the process group";
  ::kill(daemon, SIGKILL);
}

TEST_F(ChildProcessTest, ClosedOutputDoesNotEndTheRun) {
  const timespec before = [] {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used;
  }();
  // A run that polled every millisecond would use more CPU time.
  int number = 0;
  const auto child = run_child(loop, threads,
                               {.arguments = {"/bin/sh", "-c", "exec >&- 2>&-; sleep 1; exit 5"},
                                .environment = {"PATH=/usr/bin:/bin"},
                                .timeout = fake::kPatience},
                               [&](const ChildResult& result) {
                                 number = result.number;
                                 loop.stop();
                               });
  loop.run();
  EXPECT_EQ(number, 5);
  timespec after{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const auto used =
      (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
  EXPECT_LT(used, 300) << "milliseconds of processor time while idle";
}

TEST_F(ChildProcessTest, EndingTheSubscriptionKillsTheProgram) {
  auto child =
      run_child(loop, threads,
                {.arguments = {"/bin/sh", "-c", "echo $$ > " + (dir / "pid") + "; sleep 1000"},
                 .environment = {"PATH=/usr/bin:/bin"},
                 .timeout = fake::kPatience},
                [](const auto&) { ADD_FAILURE() << "must not be called"; });
  ASSERT_TRUE(until([&] { return pid_in(dir / "pid") > 0; }));
  child.reset();
  EXPECT_TRUE(until([&] { return !runs(pid_in(dir / "pid")) && is_childless(); }));
}

TEST_F(ChildProcessTest, LoopEndKillsTheProgramWithItsGroup) {
  {
    UvLoop ending;
    WorkQueue workers(ending);
    const auto child =
        run_child(ending, workers,
                  {.arguments = {"/bin/sh", "-c",
                                 "echo $$ > " + (dir / "leader") + "; sleep 1000 & echo $! > " +
                                     (dir / "member") + "; wait"},
                   .environment = {"PATH=/usr/bin:/bin"},
                   .timeout = fake::kPatience},
                  [](const auto&) { ADD_FAILURE() << "must not be called"; });
    ASSERT_TRUE(fake::run_until(ending, [&] { return pid_in(dir / "member") > 0; }));
    ending.end_processes();
  }
  EXPECT_TRUE(fake::wait_until([&] { return !runs(pid_in(dir / "member")); }));
  EXPECT_TRUE(fake::wait_until([&] { return !runs(pid_in(dir / "leader")); }));
  ::waitpid(pid_in(dir / "leader"), nullptr, WNOHANG);  // The ended loop does not reap it.
}

TEST_F(ChildProcessTest, TokenIsReleasedWhenProcessEnds) {
  auto token = std::make_shared<const int>(1);
  const std::weak_ptr<const int> held = token;
  auto child = run_child(loop, threads,
                         {.arguments = {"/bin/sleep", "1000"},
                          .timeout = fake::kPatience,
                          .until_ended = std::exchange(token, nullptr)},
                         [](const auto&) {});
  ASSERT_TRUE(until([] { return !is_childless(); }));
  EXPECT_FALSE(held.expired());
  child.reset();
  EXPECT_FALSE(held.expired()) << "the process was killed, but its end is not reported yet";
  EXPECT_TRUE(until([&] { return held.expired(); }));
}

TEST_F(ChildProcessTest, CancelledRunStartsNoProcess) {
  auto token = std::make_shared<const int>(1);
  const std::weak_ptr<const int> held = token;
  auto child = run_child(loop, threads,
                         {.arguments = {"/bin/sh", "-c", "echo > " + (dir / "begun")},
                          .environment = {"PATH=/usr/bin:/bin"},
                          .timeout = fake::kPatience,
                          .until_ended = std::exchange(token, nullptr)},
                         [](const auto&) { ADD_FAILURE() << "must not be called"; });
  child.reset();
  EXPECT_TRUE(held.expired());
  run("true");
  EXPECT_FALSE(std::filesystem::exists(dir / "begun"));
}

/// Runs many programs, several at once, as the daemon does.
class ManyRuns {
 public:
  /// With `orphans`, each fiftieth program leaves an orphan that ends at about the same time as the
  /// program.
  ManyRuns(UvLoop& loop, bool orphans) : loop_(loop), orphans_(orphans) {}

  /// Runs `count` programs. Returns whether all succeeded.
  bool run(int count) {
    left_ += count;
    for (size_t slot = 0; slot < children_.size(); ++slot) start_next(slot);
    // All programs together may take long. If none ends for a while, one hangs.
    while (running_ > 0) {
      const int enough = ended_ + 100;
      if (!fake::run_until(loop_, [&] { return running_ == 0 || ended_ >= enough; })) return false;
    }
    return bad_ == 0;
  }

 private:
  void start_next(size_t slot) {
    if (left_ == 0) return;
    const bool leaves_orphan = orphans_ && left_ % 50 == 0;
    --left_;
    children_.at(slot) = run_child(
        loop_, threads_,
        {.arguments = leaves_orphan ? std::vector<std::string>{"/bin/sh", "-c", "setsid true &"}
                                    : std::vector<std::string>{"/bin/true"},
         .environment = {"PATH=/usr/bin:/bin"},
         .timeout = fake::kPatience},
        [this, slot](const ChildResult& result) {
          --running_;
          ++ended_;
          bad_ += result.kind == Kind::exited && result.number == 0 ? 0 : 1;
          start_next(slot);
        });
    ++running_;
  }

  UvLoop& loop_;
  WorkQueue threads_{loop_};
  bool orphans_;
  int left_ = 0;
  int running_ = 0;
  int ended_ = 0;
  int bad_ = 0;
  std::array<Subscription, 8> children_;
};

constexpr int kMany = 10'000;

TEST_F(ChildProcessTest, ManyRunsLeaveNoChildrenOrDescriptors) {
  ManyRuns runs(loop, false);
  ASSERT_TRUE(runs.run(1));  // Makes the loop open its descriptors.
  const size_t before = open_descriptors();
  EXPECT_TRUE(runs.run(kMany));
  EXPECT_TRUE(is_childless());
  EXPECT_EQ(open_descriptors(), before);
}

enum class Reaper { first_process, subreaper };

/// Mounts a /proc with the process ids of this namespace, as in a container.
bool has_own_proc() {
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("proc", "/proc", "proc", 0, nullptr) == 0;
}

/// Runs `body` in a child that inherits orphans: PID 1 of a namespace, or a subreaper. Returns its
/// result, or 77 if the test is impossible here.
int run_as(Reaper reaper, const std::function<int()>& body) {
  const pid_t first = ::fork();
  if (first == 0) {
    if (reaper == Reaper::first_process) {
      if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) ::_exit(77);
      const pid_t one = ::fork();
      if (one == 0) ::_exit(::getpid() != 1 ? 1 : has_own_proc() ? body() : 77);
      int status = 0;
      ::waitpid(one, &status, 0);
      ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(first, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

class InheritanceTest : public testing::TestWithParam<Reaper> {};

INSTANTIATE_TEST_SUITE_P(As, InheritanceTest,
                         testing::Values(Reaper::first_process, Reaper::subreaper),
                         [](const auto& suite) {
                           return suite.param == Reaper::subreaper ? "subreaper" : "pid1";
                         });

/// Returns 0 if all orphans were reaped and all exit codes arrived; otherwise the number of the
/// failed check.
int reap_while_running(bool reap) {
  UvLoop loop;
  WorkQueue threads(loop);
  Subscription reaping;
  if (reap) reaping = loop.reap_inherited();
  int ended = 0;
  int right = 0;
  constexpr int kRuns = 60;
  std::vector<Subscription> children;
  for (int i = 0; i < kRuns; ++i) {
    // Each program leaves an orphan that ends at about the same time.
    auto child = run_child(loop, threads,
                           {.arguments = {"/bin/sh", "-c", "setsid sh -c 'exit 9' & exit 4"},
                            .environment = {"PATH=/usr/bin:/bin"},
                            .timeout = fake::kPatience},
                           [&](const ChildResult& result) {
                             ++ended;
                             right += result.kind == Kind::exited && result.number == 4 ? 1 : 0;
                           });
    children.push_back(std::move(child));
  }
  if (!fake::run_until(loop, [&] { return ended == kRuns; })) return 2;
  if (right != kRuns) return 3;
  return fake::run_until(loop, is_childless, reap ? fake::kPatience : 500ms) ? 0 : 5;
}

TEST_P(InheritanceTest, ReapsOrphansAndNoOtherChildren) {
  const int result = run_as(GetParam(), [] { return reap_while_running(true); });
  if (result == 77) GTEST_SKIP() << "cannot create a PID namespace";
  EXPECT_EQ(result, 0);
}

TEST_P(InheritanceTest, OrphansStayWithoutTheReaper) {
  const int result = run_as(GetParam(), [] { return reap_while_running(false); });
  if (result == 77) GTEST_SKIP() << "cannot create a PID namespace";
  EXPECT_EQ(result, 5);
}

/// Returns 0 if a process that left its program's group outlives the program and is reaped at its
/// end. Other values name the fault.
int outlive_the_program() {
  const fake::TempDir dir;
  UvLoop loop;
  WorkQueue threads(loop);
  const Subscription reaping = loop.reap_inherited();
  bool over = false;
  const auto child = run_child(loop, threads,
                               {.arguments = {"/bin/sh", "-c", daemon_script(dir / "pid")},
                                .environment = {"PATH=/usr/bin:/bin"},
                                .timeout = fake::kPatience},
                               [&over](const ChildResult&) { over = true; });
  if (!fake::run_until(loop, [&] { return over; })) return 2;
  const pid_t daemon = pid_in(dir / "pid");
  if (!runs(daemon)) return 3;
  ::kill(daemon, SIGKILL);
  return fake::run_until(loop, is_childless) ? 0 : 4;
}

TEST_P(InheritanceTest, DaemonOutlivesItsProgramAndIsReaped) {
  const int result = run_as(GetParam(), outlive_the_program);
  if (result == 77) GTEST_SKIP() << "cannot create a PID namespace";
  EXPECT_EQ(result, 0);
}

/// Returns 0 if nothing remains, 2 if an exit was missed or wrong, 5 if a child remains, and 6 if a
/// descriptor remains.
int leave_nothing_behind() {
  UvLoop loop;
  WorkQueue threads(loop);
  const Subscription reaping = loop.reap_inherited();
  ManyRuns runs(loop, true);
  if (!runs.run(1)) return 2;
  const size_t before = open_descriptors();
  if (!runs.run(kMany)) return 2;
  if (!fake::run_until(loop, is_childless)) return 5;
  return open_descriptors() == before ? 0 : 6;
}

TEST(FirstProcessTest, ManyRunsWithOrphansLeaveNoChildrenOrDescriptors) {
  const int result = run_as(Reaper::first_process, leave_nothing_behind);
  if (result == 77) GTEST_SKIP() << "cannot create a PID namespace";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace patchbay::loop
