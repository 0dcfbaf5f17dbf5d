// Tests hung file systems: devices elsewhere are found, and those on the file system when it
// answers again.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/hanging_mount.h"
#include "fake/run_until.h"
#include "host/host.h"
#include "host/recording_listener.h"
#include "loop/executor.h"
#include "paths/path_checker.h"

namespace patchbay::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Kind = paths::PathState::Kind;

constexpr int kMany = 25;

class HungFileSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  }
  void TearDown() override {
    host.reset();
    inotify.reset();
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }

  /// Starts the host. `file` is a file that is read for each device.
  void start(std::vector<std::string> patterns, const std::string& file = {}) {
    auto query = std::make_shared<HostQuery>();
    if (!file.empty()) query->files = [file](const DeviceFacts&) { return std::vector{file}; };
    query->glob_patterns = std::move(patterns);
    query->wanted = cheap_facts;
    inotify = loop::Inotify::create(loop).value();
    host = Host::create(loop, *inotify, {}, query, listener);
    host->start();
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  RecordingListener listener;
  std::unique_ptr<loop::Inotify> inotify;
  std::unique_ptr<Host> host;
};

class ManyHungPathsTest : public HungFileSystemTest {
 protected:
  /// Checks these paths, and last a path that does not hang.
  void look_at(const std::vector<std::string>& hanging) {
    std::vector<paths::PathQuery> queries;
    for (const std::string& path : hanging) queries.push_back({.path = path});
    queries.push_back({.path = "/dev/null"});
    running =
        checker->run(std::move(queries), loop::Milliseconds(2000), [this](paths::PathResults part) {
          for (auto& [path, what] : part) found.insert_or_assign(path, std::move(what));
        });
  }
  [[nodiscard]] bool all_of(const std::vector<std::string>& paths, Kind kind) {
    return until([&] {
      return std::ranges::all_of(paths, [&](const std::string& path) {
        const auto result = found.find(path);
        return result != found.end() && result->second.state.kind == kind;
      });
    });
  }

  loop::WorkQueue threads{loop};
  std::unique_ptr<paths::PathChecker> checker = paths::PathChecker::create(threads, {});
  paths::PathResults found;
  loop::Subscription running;
};

TEST_F(ManyHungPathsTest, WaitsForFewPathsOfOneFileSystemAtATime) {
  fake::HangingMount nfs;
  std::vector<std::string> paths;
  for (int i = 0; i < kMany; ++i) paths.push_back(nfs / std::to_string(i));
  const auto begin = loop.now();
  look_at(paths);
  EXPECT_TRUE(all_of({"/dev/null"}, Kind::exists));
  EXPECT_EQ(threads.hanging(), 0U) << "what hangs is not known to hang yet";
  EXPECT_TRUE(all_of(paths, Kind::unresponsive));
  EXPECT_LT(loop.now() - begin, std::chrono::seconds(25)) << "one after the other it is 50 s";
  EXPECT_EQ(threads.hanging(), loop::kMaxHungPerMount);
  nfs.let_go();
  EXPECT_TRUE(until([&] { return threads.hanging() == 0; }));
  look_at(paths);
  EXPECT_TRUE(all_of(paths, Kind::missing));
}

TEST_F(ManyHungPathsTest, WaitsForFileSystemsInParallel) {
  std::vector<std::unique_ptr<fake::HangingMount>> mounts;
  std::vector<std::string> paths;
  for (int i = 0; i < kMany; ++i) {
    mounts.push_back(std::make_unique<fake::HangingMount>());
    paths.push_back(*mounts.back() / "file");
  }
  const auto begin = loop.now();
  look_at(paths);
  EXPECT_TRUE(all_of({"/dev/null"}, Kind::exists));
  EXPECT_EQ(threads.hanging(), 0U);
  EXPECT_TRUE(all_of(paths, Kind::unresponsive));
  EXPECT_LT(loop.now() - begin, std::chrono::seconds(25)) << "one after the other it is 50 s";
  for (const auto& mount : mounts) mount->let_go();
  // The checks report the paths again when they answer.
  EXPECT_TRUE(until([&] {
    return std::ranges::none_of(
        paths, [&](const auto& path) { return found.at(path).state.kind == Kind::unresponsive; });
  }));
}

TEST_F(HungFileSystemTest, HungPatternDelaysNoOtherPattern) {
  fake::HangingMount nfs(std::vector<std::string>{"file"});
  std::filesystem::create_directory(dir / "a");
  dir.write("a/one", "");
  start({nfs / "*", dir / "*/one", dir / "*/two"});
  ASSERT_TRUE(until([&] { return listener.first_scans == 1; }));
  EXPECT_THAT(listener.keys(), ElementsAre(dir / "a/one"));
  ASSERT_THAT(listener.unresponsive_keys, ElementsAre(testing::Pair(nfs.path(), nfs / "*")));

  std::filesystem::create_directory(dir / "b");
  dir.write("b/two", "");
  EXPECT_TRUE(until([&] { return listener.has(dir / "b/two"); }));
  EXPECT_TRUE(until([&] { return listener.hangs(nfs.path()); }));
  dir.write("b/one", "");
  EXPECT_TRUE(until([&] { return listener.has(dir / "b/one"); }));

  nfs.let_go();
  EXPECT_TRUE(until([&] { return listener.has(nfs / "file"); }));
  EXPECT_THAT(listener.unresponsive_keys, IsEmpty());
}

TEST_F(HungFileSystemTest, ManyHungPatternsDelayNoOtherPattern) {
  fake::HangingMount nfs(std::vector<std::string>{"file7"});
  std::vector<std::string> patterns;
  for (int i = 0; i < kMany; ++i) patterns.push_back(nfs / ("file" + std::to_string(i)));
  dir.write("zz", "");
  patterns.push_back(dir / "z*");  // The last one in the queue.
  start(patterns);
  ASSERT_TRUE(until([&] { return listener.first_scans == 1; }));
  EXPECT_THAT(listener.keys(), ElementsAre(dir / "zz"));
  dir.write("zzz", "");
  EXPECT_TRUE(until([&] { return listener.has(dir / "zzz"); }));
  EXPECT_TRUE(
      until([&] { return listener.unresponsive_keys.size() == kMany && listener.none_waits(); }));
  nfs.let_go();
  EXPECT_TRUE(
      until([&] { return listener.has(nfs / "file7") && listener.unresponsive_keys.empty(); }));
}

/// A link to a hung path is found in a directory that answers, but its check hangs.
TEST_F(HungFileSystemTest, HungLinkTargetDelaysNoOtherDevice) {
  fake::HangingMount nfs(std::vector<std::string>{"file"});
  dir.write("a", "");
  std::filesystem::create_symlink(nfs / "file", dir / "b");
  dir.write("c", "");
  start({dir / "*"});
  ASSERT_TRUE(until([&] { return listener.first_scans == 1; }));
  EXPECT_THAT(listener.keys(), ElementsAre(dir / "a", dir / "c"));
  EXPECT_TRUE(until([&] { return listener.hangs(dir / "b"); }));
  nfs.let_go();
  EXPECT_TRUE(until([&] { return listener.has(dir / "b"); }));
  EXPECT_THAT(listener.unresponsive_keys, IsEmpty());
}

TEST_F(HungFileSystemTest, KnownFactsAreDeliveredWhileFileHangs) {
  fake::HangingMount nfs(std::vector<std::string>{"file"});
  dir.write("a", "");
  start({dir / "*"}, nfs / "file");
  ASSERT_TRUE(until([&] { return listener.first_scans == 1; }));
  ASSERT_THAT(listener.keys(), ElementsAre(dir / "a"));
  const auto unread = [&] { return listener.devices.at(dir / "a")->unread; };
  EXPECT_THAT(unread(), ElementsAre(FactName{Fact::file, nfs / "file"}));
  EXPECT_THAT(listener.unresponsive_keys, ElementsAre(testing::Pair(nfs / "file", testing::_)));
  nfs.let_go();
  EXPECT_TRUE(until([&] { return unread().empty() && listener.unresponsive_keys.empty(); }));
}

TEST_F(HungFileSystemTest, DestructorDoesNotWaitForHungReads) {
  const fake::HangingMount nfs;
  start({nfs / "*"});
  ASSERT_TRUE(until([&] { return listener.first_scans == 1; }));
  host.reset();
}

}  // namespace
}  // namespace patchbay::host
