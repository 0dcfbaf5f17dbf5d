// Tests which instance serves a resource, with real sockets on the real loop. Each LeaderElection
// represents a process.
#include "plugin/leader_election.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "rpc/endpoint_name.h"

namespace patchbay::plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResource = "lab.example.com/nic";

class LeaderElectionTest : public ::testing::Test {
 protected:
  /// Starts a process with this name. When it is elected, its name is added to elected_.
  void start(const std::string& name) {
    processes_[name] = std::make_unique<LeaderElection>(loop_, dir_.path(), kResource, name,
                                                        [this, name] { elected_.push_back(name); });
    processes_[name]->campaign();
  }
  void stop(const std::string& name) { processes_.erase(name); }

  [[nodiscard]] testing::AssertionResult elected(const std::vector<std::string>& wanted) {
    if (fake::run_until(loop_, [&] { return elected_ == wanted; })) {
      return testing::AssertionSuccess();
    }
    auto failure = testing::AssertionFailure() << "elected, in order:";
    for (const std::string& name : elected_) failure << ' ' << name;
    return failure;
  }

  /// The files of all processes, by name.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(dir_.path())) {
      names.push_back(fs::relative(entry.path(), dir_.path()));
    }
    std::ranges::sort(names);
    return names;
  }

  /// Runs the loop until all instances have processed their events.
  void settle() {
    int iterations = 0;
    ASSERT_TRUE(fake::run_until(loop_, [&] { return ++iterations > 20; }));
  }

  fake::TempDir dir_;
  const CandidateDirectory directory_{dir_.path(), kResource};
  const std::string folder_ = "patchbay/" + rpc::resource_file_name(kResource);
  loop::UvLoop loop_;
  std::vector<std::string> elected_;
  std::map<std::string, std::unique_ptr<LeaderElection>> processes_;
};

TEST_F(LeaderElectionTest, SingleInstanceIsElectedAtOnceAndLeavesNoFiles) {
  start("a");
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  EXPECT_EQ(files(), (std::vector<std::string>{"patchbay", folder_, folder_ + "/1"}));
  struct stat status {};
  ASSERT_EQ(lstat((dir_ / (folder_ + "/1")).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  stop("a");
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(LeaderElectionTest, StandbysTakeOverInOrder) {
  start("a");
  start("b");
  start("c");
  settle();
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  stop("a");
  ASSERT_TRUE(elected({"a", "b"}));
  settle();
  EXPECT_EQ(elected_, (std::vector<std::string>{"a", "b"}));
  stop("b");
  EXPECT_TRUE(elected({"a", "b", "c"}));
}

TEST_F(LeaderElectionTest, StandbyExitDoesNotAffectOthers) {
  start("a");
  start("b");
  start("c");
  settle();
  stop("b");
  settle();
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  EXPECT_EQ(files(),
            (std::vector<std::string>{"patchbay", folder_, folder_ + "/1", folder_ + "/3"}));
  stop("a");
  EXPECT_TRUE(elected({"a", "c"}));
}

TEST_F(LeaderElectionTest, ResourcesHaveIndependentLeaders) {
  start("a");
  bool other = false;
  LeaderElection another(loop_, dir_.path(), "lab.example.com/nic-2", "b", [&] { other = true; });
  another.campaign();
  EXPECT_TRUE(other);
}

TEST_F(LeaderElectionTest, SocketsOfKilledProcessesAreIgnored) {
  const pid_t killed = fork();
  if (killed == 0) {  // The child ends without cleanup, as after SIGKILL.
    fake::ManualLoop loop;
    for (const char* id : {"x", "y"}) {
      auto place = directory_.take_number(loop, id, [](UniqueFd) {});
      if (!place || !place->listener.release()) _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(killed, &status, 0), killed);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(directory_.numbers(), (std::vector<uint64_t>{1, 2}));
  start("a");
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  EXPECT_EQ(directory_.numbers(), std::vector<uint64_t>{3});
}

/// If such a connection counted, two instances that check each other would never stop.
TEST_F(LeaderElectionTest, LivenessProbeConnectionIsNotTreatedAsStandby) {
  start("a");
  int connections = 0;
  const auto other = directory_.take_number(loop_, "b", [&](UniqueFd) { ++connections; });
  ASSERT_TRUE(other) << other.error().message;
  ASSERT_TRUE(rpc::is_anyone_listening(directory_.path_of(1)));
  settle();
  EXPECT_EQ(connections, 0);
}

TEST_F(LeaderElectionTest, SocketOfKilledStandbyIsRemoved) {
  start("a");
  const pid_t killed = fork();
  if (killed == 0) {
    fake::ManualLoop loop;
    LeaderElection waiting(loop, dir_.path(), kResource, "x", [] {});
    waiting.campaign();
    _exit(0);  // Ends without cleanup, as after SIGKILL.
  }
  int status = 0;
  ASSERT_EQ(waitpid(killed, &status, 0), killed);
  ASSERT_EQ(directory_.numbers(), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(
      fake::run_until(loop_, [&] { return directory_.numbers() == std::vector<uint64_t>{1}; }));
}

TEST_F(LeaderElectionTest, DeletedDirectoryIsRecreatedInTheSameOrder) {
  start("a");
  start("b");
  settle();
  fs::remove_all(dir_ / "patchbay");
  processes_["b"]->campaign();
  processes_["a"]->campaign();
  start("c");
  settle();
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  EXPECT_EQ(directory_.numbers(), (std::vector<uint64_t>{1, 2, 3}));
  stop("a");
  ASSERT_TRUE(elected({"a", "b"}));
}

TEST_F(LeaderElectionTest, WaitsUntilKubeletDirectoryExists) {
  bool served = false;
  LeaderElection early(loop_, dir_ / "later", kResource, "a", [&] { served = true; });
  early.campaign();
  EXPECT_FALSE(served);
  fs::create_directory(dir_ / "later");
  early.campaign();
  EXPECT_TRUE(served);
}

TEST_F(LeaderElectionTest, ServesWithoutElectionSocket) {
  fs::create_symlink("nowhere/at/all", dir_ / "patchbay");
  start("a");
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
}

TEST_F(LeaderElectionTest, FileAtDirectoryPathIsReplaced) {
  start("a");
  fs::remove_all(dir_ / "patchbay");
  dir_.write("patchbay", "a file");
  processes_["a"]->campaign();
  start("b");
  settle();
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  EXPECT_EQ(directory_.numbers(), (std::vector<uint64_t>{1, 2}));
}

/// The name is too long for a socket. So the process cannot create its socket, as in a read-only
/// directory.
TEST_F(LeaderElectionTest, InstanceWithoutSocketStandsByBehindLeader) {
  start("a");
  const std::string too_long(200, 'x');
  start(too_long);
  settle();
  EXPECT_EQ(elected_, std::vector<std::string>{"a"});
  stop("a");
  ASSERT_TRUE(elected({"a", too_long}));
}

TEST_F(LeaderElectionTest, DeletedSocketIsRecreated) {
  start("a");
  const std::string socket = directory_.path_of(1);
  fs::remove(socket);
  processes_["a"]->entry_changed("2");
  EXPECT_FALSE(fs::exists(socket));
  processes_["a"]->entry_changed("1");
  EXPECT_TRUE(fs::exists(socket));
}

/// The leader listens and does nothing else, like a stopped process.
TEST_F(LeaderElectionTest, HungLeaderIsLoggedAndKeepsResource) {
  fake::ManualLoop hanging_loop;
  auto hanging = std::make_unique<LeaderElection>(hanging_loop, dir_.path(), kResource, "a", [] {});
  hanging->campaign();
  fake::ManualLoop loop;
  bool served = false;
  LeaderElection waiting(loop, dir_.path(), kResource, "b", [&] { served = true; });
  testing::internal::CaptureStderr();
  waiting.campaign();
  loop.advance(LeaderElection::kPingPeriod * 3);
  EXPECT_FALSE(served);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("is unresponsive"), said.rfind("is unresponsive")) << said;
  EXPECT_NE(said.find("is unresponsive"), std::string::npos) << said;
}

}  // namespace
}  // namespace patchbay::plugin
