#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "host/host.h"
#include "host/recording_listener.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// For the whole host with `glob:` rules only, on a temporary tree with real inotify.
class GlobSourceTest : public testing::Test {
 protected:
  void start(std::vector<std::string> patterns, bool watch = true) {
    start_at(paths::HostRoot(dir.path()), std::move(patterns), watch);
  }
  void start_at(const paths::HostRoot& root, std::vector<std::string> patterns, bool watch = true) {
    auto query = std::make_shared<HostQuery>();
    query->glob_patterns = std::move(patterns);
    query->wanted = cheap_facts;
    inotify = loop::Inotify::create(loop).value();
    host = Host::create(loop, *inotify, {.watch = watch, .root = root}, query, listener);
    host->start();
    ASSERT_TRUE(fake::run_until(loop, [&] { return listener.first_scans == 1; }));
  }
  void TearDown() override {
    host.reset();
    inotify.reset();
  }

  [[nodiscard]] bool comes(const std::string& key) {
    return fake::run_until(loop, [&] { return listener.has(key); });
  }
  [[nodiscard]] bool goes(const std::string& key) {
    return fake::run_until(loop, [&] { return !listener.has(key); });
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  RecordingListener listener;
  std::unique_ptr<loop::Inotify> inotify;
  std::unique_ptr<Host> host;
};

TEST_F(GlobSourceTest, ReportsExistingPathsBeforeTheFirstScanEnds) {
  dir.write("etc/gophers/gary", "");
  dir.write("etc/gophers/greta", "");
  start({"/etc/gophers/*", "/etc/gophers/ga*"});
  EXPECT_THAT(listener.keys(), ElementsAre("/etc/gophers/gary", "/etc/gophers/greta"));
  const auto done = std::ranges::find(listener.log, "first scan done");
  EXPECT_GE(done - listener.log.begin(), 2);
  const DeviceFacts& gary = *listener.devices.at("/etc/gophers/gary");
  EXPECT_EQ(gary.kind, DeviceKind::path);
  EXPECT_EQ(gary.name, "gary");
  EXPECT_EQ(gary.path_type, PathType::file);
  EXPECT_THAT(gary.found_by, ElementsAre(FoundBy{"/etc/gophers/*"}, FoundBy{"/etc/gophers/ga*"}));
}

TEST_F(GlobSourceTest, FirstScanEndsWithoutAnyPath) {
  start({"/etc/gophers/*"});
  EXPECT_THAT(listener.keys(), IsEmpty());
}

TEST_F(GlobSourceTest, ReportsCreatedAndRemovedFiles) {
  dir.write("etc/gophers/gary", "");
  start({"/etc/gophers/*"});
  dir.write("etc/gophers/greta", "");
  EXPECT_TRUE(comes("/etc/gophers/greta"));
  fs::remove(dir / "etc/gophers/gary");
  EXPECT_TRUE(goes("/etc/gophers/gary"));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(GlobSourceTest, FollowsDirectoriesThatDoNotExistYet) {
  start({"/var/lib/gophers/*/sock"});
  dir.write("var/lib/gophers/gary/sock", "");
  EXPECT_TRUE(comes("/var/lib/gophers/gary/sock"));
  dir.write("var/lib/gophers/greta/sock", "");
  EXPECT_TRUE(comes("/var/lib/gophers/greta/sock"));
}

TEST_F(GlobSourceTest, FollowsARemovedAndRecreatedTree) {
  dir.write("a/b/c/file", "");
  start({"/a/b/c/*"});
  fs::remove_all(dir / "a");
  EXPECT_TRUE(goes("/a/b/c/file"));
  dir.write("a/b/c/file", "");
  EXPECT_TRUE(comes("/a/b/c/file"));
  fs::rename(dir / "a/b/c", dir / "elsewhere");
  EXPECT_TRUE(goes("/a/b/c/file"));
  fs::rename(dir / "elsewhere", dir / "a/b/c");
  EXPECT_TRUE(comes("/a/b/c/file"));
}

TEST_F(GlobSourceTest, FollowsARenamedAncestorDirectory) {
  dir.write("a/b/c/file", "");
  start({"/a/b/c/*"});
  fs::rename(dir / "a", dir / "elsewhere");
  EXPECT_TRUE(goes("/a/b/c/file"));
  fs::rename(dir / "elsewhere", dir / "a");
  EXPECT_TRUE(comes("/a/b/c/file"));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(GlobSourceTest, FollowsAPathWithoutWildcards) {
  start({"/a/b/c"});
  dir.write("a/b/c", "");
  EXPECT_TRUE(comes("/a/b/c"));
  fs::remove(dir / "a/b/c");
  EXPECT_TRUE(goes("/a/b/c"));
}

TEST_F(GlobSourceTest, FollowsALinkRetargetedToAnotherDirectory) {
  dir.write("one/x", "");
  dir.write("two/y", "");
  fs::create_directory_symlink("one", dir / "now");
  start({"/now/*"});
  EXPECT_THAT(listener.keys(), ElementsAre("/now/x"));
  fs::create_directory_symlink("two", dir / "next");
  fs::rename(dir / "next", dir / "now");
  EXPECT_TRUE(comes("/now/y"));
  EXPECT_TRUE(goes("/now/x"));
  dir.write("two/z", "");
  EXPECT_TRUE(comes("/now/z"));
}

TEST_F(GlobSourceTest, DanglingLinkIsNotReported) {
  fs::create_directories(dir / "by-id");
  fs::create_symlink("../tty0", dir / "by-id/usb-serial");
  start({"/by-id/*", "/tty*"});
  EXPECT_THAT(listener.keys(), IsEmpty());
  dir.write("tty0", "");
  ASSERT_TRUE(comes("/tty0"));
  fs::remove(dir / "by-id/usb-serial");
  fs::create_symlink("../tty0", dir / "by-id/usb-serial");
  EXPECT_TRUE(comes("/by-id/usb-serial"));
}

TEST_F(GlobSourceTest, TypeOfLinkIsThatOfItsTarget) {
  fs::create_directories(dir / "d/dir");
  fs::create_symlink("/dev/null", dir / "d/null");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  (dir / "d/sock").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(fd);
  start_at(paths::HostRoot(), {dir / "d/*"});
  EXPECT_EQ(listener.devices.at(dir / "d/dir")->path_type, PathType::directory);
  EXPECT_EQ(listener.devices.at(dir / "d/sock")->path_type, PathType::socket);
  EXPECT_EQ(listener.devices.at(dir / "d/null")->path_type, PathType::character_device);
  EXPECT_EQ(listener.devices.at(dir / "d/null")->number,
            (DeviceNumber{.block = false, .major = 1, .minor = 3}));
}

TEST_F(GlobSourceTest, ReportsManyFilesAtOnce) {
  start({"/many/*/*"});
  for (int i = 0; i < 500; ++i) {
    dir.write("many/" + std::to_string(i % 10) + "/f" + std::to_string(i), "");
  }
  EXPECT_TRUE(fake::run_until(loop, [&] { return listener.devices.size() == 500; }));
  fs::remove_all(dir / "many");
  EXPECT_TRUE(fake::run_until(loop, [&] { return listener.devices.empty(); }));
}

TEST_F(GlobSourceTest, ReportsATruncatedPatternAndListsItAtRescans) {
  const std::string pattern = "/d/*/*/*/*/*/*/*/*/*/*";
  const std::string deep = "d/a/a/a/a/a/a/a/a/a/";
  dir.write(deep + "x", "");
  fs::create_directory_symlink(".", dir / "d/loop");
  start({pattern, "/e/*"});
  EXPECT_THAT(listener.truncations[pattern], testing::HasSubstr("is behind more than 8 links"));
  EXPECT_EQ(listener.truncations["/e/*"], "");
  EXPECT_TRUE(listener.has("/" + deep + "x")) << "what is not behind them is found";
  // The truncated pattern is not watched. Its matches are those of the last listing.
  dir.write(deep + "y", "");
  dir.write("e/later", "");
  ASSERT_TRUE(comes("/e/later"));
  EXPECT_FALSE(listener.has("/" + deep + "y"));
  host->rescan("test");
  EXPECT_TRUE(comes("/" + deep + "y"));
  fs::remove(dir / "d/loop");
  host->rescan("test");
  EXPECT_TRUE(fake::run_until(loop, [&] { return listener.truncations[pattern].empty(); }));
  dir.write(deep + "z", "");
  EXPECT_TRUE(comes("/" + deep + "z"));
}

TEST_F(GlobSourceTest, ScanWithoutEventsFollowsNothing) {
  dir.write("a/x", "");
  start({"/a/*"}, false);
  EXPECT_THAT(listener.keys(), ElementsAre("/a/x"));
  dir.write("a/y", "");
  host->rescan("test");
  EXPECT_TRUE(comes("/a/y"));
  EXPECT_EQ(host->event_counts().rescans, 1U);
}

TEST_F(GlobSourceTest, DoesNotReportIrrelevantPaths) {
  dir.write("a/x", "");
  auto query = std::make_shared<HostQuery>();
  query->glob_patterns = {"/a/*"};
  query->wanted = [](const DeviceFacts&) { return WantedFacts{}; };
  inotify = loop::Inotify::create(loop).value();
  host = Host::create(loop, *inotify, {.root = paths::HostRoot(dir.path())}, query, listener);
  host->start();
  ASSERT_TRUE(fake::run_until(loop, [&] { return listener.first_scans == 1; }));
  EXPECT_THAT(listener.keys(), IsEmpty());
}

}  // namespace
}  // namespace patchbay::host
