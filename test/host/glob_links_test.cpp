// Tests patterns that find symbolic links. Changes of the targets are noticed by events only.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/hanging_mount.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "host/host.h"
#include "host/recording_listener.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// The number of watches of all inotify instances of this process.
size_t inotify_watches() {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream info(entry.path());
    for (std::string line; std::getline(info, line);) count += line.starts_with("inotify wd:");
  }
  return count;
}

/// For the whole host with `glob:` rules only, on a temporary tree with real inotify. There are no
/// rescans.
class GlobLinksTest : public testing::Test {
 protected:
  void start(std::vector<std::string> patterns) {
    start_at(paths::HostRoot(dir.path()), std::move(patterns));
  }
  void start_at(const paths::HostRoot& root, std::vector<std::string> patterns) {
    auto query = std::make_shared<HostQuery>();
    query->glob_patterns = std::move(patterns);
    query->wanted = cheap_facts;
    inotify = loop::Inotify::create(loop).value();
    host = Host::create(loop, *inotify,
                        {.rescan_period = loop::Milliseconds(0), .watch = true, .root = root},
                        query, listener);
    host->start();
    ASSERT_TRUE(fake::run_until(loop, [&] { return listener.first_scans == 1; }));
  }
  void TearDown() override {
    if (host) {
      EXPECT_EQ(host->event_counts().rescans, 0U);
    }
    host.reset();
    inotify.reset();
  }

  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }
  [[nodiscard]] bool comes(const std::string& key) {
    return until([&] { return listener.has(key); });
  }
  [[nodiscard]] bool goes(const std::string& key) {
    return until([&] { return !listener.has(key); });
  }
  [[nodiscard]] bool is(const std::string& key, PathType type) {
    return until([&] { return listener.has(key) && listener.devices.at(key)->path_type == type; });
  }
  void link(const std::string& to, const std::string& name) {
    fs::create_directories((dir / name).substr(0, (dir / name).rfind('/')));
    fs::create_symlink(to, dir / name);
  }
  /// Replaces a link in one step, as udev does.
  void replace(const std::string& to, const std::string& name) {
    fs::create_symlink(to, dir / "made-anew");
    fs::rename(dir / "made-anew", dir / name);
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  RecordingListener listener;
  std::unique_ptr<loop::Inotify> inotify;
  std::unique_ptr<Host> host;
};

TEST_F(GlobLinksTest, ReportsATargetCreatedAfterItsLink) {
  link("/dev/ttyUSB0", "lab/bench-1");
  start({"/lab/bench-*"});
  EXPECT_THAT(listener.keys(), IsEmpty());
  dir.write("lab/bench-0", "");
  ASSERT_TRUE(comes("/lab/bench-0"));
  dir.write("dev/ttyUSB0", "");  // Creates also the directory.
  EXPECT_TRUE(comes("/lab/bench-1"));
}

TEST_F(GlobLinksTest, ReportsATargetOfALinkCreatedLater) {
  start({"/lab/bench-*"});
  dir.write("lab/bench-1", "");
  ASSERT_TRUE(comes("/lab/bench-1"));
  link("../dev/ttyUSB0", "lab/bench-2");
  link("../dev/ttyUSB1", "lab/bench-3");
  dir.write("dev/ttyUSB1", "");
  EXPECT_TRUE(comes("/lab/bench-3"));
  dir.write("dev/ttyUSB0", "");
  EXPECT_TRUE(comes("/lab/bench-2"));
}

TEST_F(GlobLinksTest, ReportsRemovalAndReturnOfATarget) {
  dir.write("dev/ttyUSB0", "");
  link("/dev/ttyUSB0", "lab/bench-1");
  start({"/lab/bench-*"});
  ASSERT_THAT(listener.keys(), ElementsAre("/lab/bench-1"));
  for (int i = 0; i < 3; ++i) {
    fs::remove(dir / "dev/ttyUSB0");
    EXPECT_TRUE(goes("/lab/bench-1"));
    dir.write("dev/ttyUSB0", "");
    EXPECT_TRUE(comes("/lab/bench-1"));
  }
}

TEST_F(GlobLinksTest, ReportsARetargetedLinkInAChain) {
  dir.write("devices/one/port", "");
  dir.write("devices/two/other", "");
  dir.write("devices/three/port/socket", "");
  link("../devices/one", "slots/now");
  link("slots/now", "current");
  link("/current/port", "lab/bench-1");
  start({"/lab/bench-*"});
  ASSERT_TRUE(is("/lab/bench-1", PathType::file));
  replace("../devices/two", "slots/now");  // That directory has no port.
  EXPECT_TRUE(goes("/lab/bench-1"));
  replace("../devices/three", "slots/now");
  EXPECT_TRUE(is("/lab/bench-1", PathType::directory));
  replace("devices/one", "current");
  EXPECT_TRUE(is("/lab/bench-1", PathType::file));
  fs::rename(dir / "devices/one", dir / "devices/four");
  EXPECT_TRUE(goes("/lab/bench-1"));
}

TEST_F(GlobLinksTest, ReportsALinkRetargetedToAnotherDevice) {
  link("/dev/null", "bench-1");
  start_at(paths::HostRoot(), {dir / "bench-*"});
  const std::string key = dir / "bench-1";
  ASSERT_TRUE(listener.has(key));
  EXPECT_EQ(listener.devices.at(key)->number->minor, 3U);
  replace("/dev/zero", "bench-1");
  EXPECT_TRUE(until([&] { return listener.devices.at(key)->number->minor == 5U; }));
}

TEST_F(GlobLinksTest, FollowsADanglingDirectoryLinkInThePattern) {
  link("/run/one", "lab/one");
  link("/run/two", "lab/two");
  start({"/lab/*/port", "/lab/*/line*"});
  EXPECT_THAT(listener.keys(), IsEmpty());
  dir.write("run/one/port", "");
  EXPECT_TRUE(comes("/lab/one/port"));
  dir.write("run/two/line0", "");
  EXPECT_TRUE(comes("/lab/two/line0"));
  fs::remove_all(dir / "run/two");
  EXPECT_TRUE(goes("/lab/two/line0"));
  dir.write("run/two/line1", "");
  EXPECT_TRUE(comes("/lab/two/line1"));
}

TEST_F(GlobLinksTest, RemovedLinkIsNotWatched) {
  dir.write("far/away/there", "");
  start({"/lab/*"});
  dir.write("lab/other", "");
  ASSERT_TRUE(comes("/lab/other"));
  const auto before = inotify_watches();
  link("/far/away/port", "lab/bench-1");   // A dangling link.
  link("/far/away/there", "lab/bench-2");  // This one has a target.
  ASSERT_TRUE(comes("/lab/bench-2"));
  dir.write("far/away/port", "");
  ASSERT_TRUE(comes("/lab/bench-1"));
  EXPECT_EQ(inotify_watches(), before + 2) << "the two directories, once for both";
  fs::remove(dir / "far/away/port");
  ASSERT_TRUE(goes("/lab/bench-1"));
  fs::remove(dir / "lab/bench-1");
  fs::remove(dir / "lab/bench-2");
  ASSERT_TRUE(goes("/lab/bench-2"));
  EXPECT_TRUE(until([&] { return inotify_watches() == before; }));
}

TEST_F(GlobLinksTest, LinksOfARemovedDirectoryAreNotWatched) {
  dir.write("far/away/there", "");
  link("/far/away/there", "lab/a/bench");
  link("/far/away/nothing", "lab/b/bench");
  dir.write("lab/c/bench", "");
  start({"/lab/*/bench*"});
  ASSERT_THAT(listener.keys(), ElementsAre("/lab/a/bench", "/lab/c/bench"));
  // The watches are on the root, /lab with its content, /far and /far/away.
  ASSERT_TRUE(until([&] { return inotify_watches() == 7; }));
  fs::rename(dir / "lab/b", dir / "elsewhere");
  fs::rename(dir / "lab/a", dir / "elsewhere-too");
  ASSERT_TRUE(goes("/lab/a/bench"));
  EXPECT_TRUE(until([&] { return inotify_watches() == 3; }));
}

TEST_F(GlobLinksTest, LinkIntoHungFileSystemDelaysNoOtherLink) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  fake::HangingMount nfs(std::vector<std::string>{"port"});
  link(nfs / "port", "lab/bench-1");
  link(dir / "dev/ttyUSB0", "lab/bench-2");
  start_at(paths::HostRoot(), {dir / "lab/*"});
  dir.write("dev/ttyUSB0", "");
  EXPECT_TRUE(comes(dir / "lab/bench-2"));
  EXPECT_FALSE(listener.has(dir / "lab/bench-1"));
  nfs.let_go();
  EXPECT_TRUE(comes(dir / "lab/bench-1"));
}

}  // namespace
}  // namespace patchbay::host
