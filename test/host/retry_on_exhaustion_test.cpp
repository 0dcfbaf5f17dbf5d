// Tests that without free descriptors a path which cannot be read does not count as missing.
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fake/kernel_devices.h"
#include "fake/no_descriptors.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "host/facts/node_facts.h"
#include "host/host.h"
#include "host/link_watch.h"
#include "host/recording_hints.h"
#include "host/recording_listener.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

namespace fs = std::filesystem;

using fake::NoDescriptors;

/// Whether this process watches a directory, according to the kernel's inotify data.
bool is_watched(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return false;
  const std::string inode = fmt::format(" ino:{:x} ", status.st_ino);
  std::error_code gone;
  for (const auto& descriptor : fs::directory_iterator("/proc/self/fdinfo", gone)) {
    std::ifstream info(descriptor.path());
    for (std::string line; std::getline(info, line);) {
      if (line.starts_with("inotify ") && line.find(inode) != std::string::npos) return true;
    }
  }
  return false;
}

/// For the whole host on a temporary tree, without periodic rescans.
class NoDescriptorsTest : public testing::Test {
 protected:
  void SetUp() override {
    dir.write("d/one/port", "");
    make();
    start({});
    ASSERT_TRUE(until([&] { return listener.first_scans == 1; }));
    dir.write("d/two/port", "");
    ASSERT_TRUE(until([&] { return listener.has("/d/two/port"); }));
    fs::remove_all(dir / "d/two");
    ASSERT_TRUE(until([&] { return !listener.has("/d/two/port"); }));
  }
  void TearDown() override {
    host.reset();
    inotify.reset();
  }

  void make() {
    host.reset();
    inotify = loop::Inotify::create(loop).value();
  }
  void start(std::vector<std::string> subsystems) {
    HostQuery query;
    query.glob_patterns = {"/d/*/port", "/e/*"};
    query.subsystems = std::move(subsystems);
    if (!query.subsystems.empty()) query.sysfs_patterns = {"/sys/class/mem/nul?"};
    query.wanted = cheap_facts;
    host = Host::create(loop, *inotify,
                        {.rescan_period = loop::Milliseconds(0),
                         .watch = true,
                         .root = paths::HostRoot(dir.path())},
                        std::make_shared<const HostQuery>(query), listener);
    host->start();
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }
  /// Waits until the reads of all entities have failed, and the host no longer waits for them.
  [[nodiscard]] bool all_given_up(const std::vector<std::string>& entities) {
    return until([&] {
      for (const std::string& entity : entities) {
        if (!listener.hangs(entity)) return false;
      }
      return true;
    });
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  RecordingListener listener;
  std::unique_ptr<loop::Inotify> inotify;
  std::unique_ptr<Host> host;
};

TEST(ResourceExhaustion, RecordsFailedOpensOfItsThread) {
  const paths::ResourceExhaustion exhaustion;
  EXPECT_FALSE(paths::HostRoot().read_file("/no/such/file"));
  paths::ResourceExhaustion::record(ENOENT);
  EXPECT_EQ(exhaustion.error(), 0);
  {
    const NoDescriptors none;
    static_cast<void>(paths::HostRoot().names_in("/"));
  }
  EXPECT_EQ(exhaustion.error(), EMFILE);
  const paths::ResourceExhaustion another;
  EXPECT_EQ(another.error(), 0);
}

TEST_F(NoDescriptorsTest, KeepsKnownStateAndCatchesUpAfterwards) {
  dir.write("e/stays", "");
  dir.write("e/goes", "");
  dir.write("made/file", "");
  dir.write("made/two/port", "");
  ASSERT_TRUE(until([&] { return listener.has("/e/goes") && listener.has("/e/stays"); }));
  // Waits for the watch, because the entities may be listed before it exists.
  ASSERT_TRUE(until([&] { return is_watched(dir / "e"); }));
  const auto before = listener.keys();
  bool given_up = false;
  {
    const NoDescriptors none;
    fs::remove(dir / "e/goes");
    fs::rename(dir / "made/file", dir / "e/comes");
    fs::rename(dir / "made/two", dir / "d/two");
    given_up = all_given_up({"/e/goes", "/e/comes", "/d"});
  }
  EXPECT_TRUE(given_up);
  EXPECT_EQ(listener.keys(), before);
  EXPECT_TRUE(until([&] { return listener.has("/e/comes") && !listener.has("/e/goes"); }));
  EXPECT_TRUE(until([&] { return listener.has("/d/two/port"); }));
  EXPECT_TRUE(until([&] { return listener.unresponsive_keys.empty(); }));
  EXPECT_TRUE(listener.has("/e/stays"));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(NoDescriptorsTest, RescanKeepsKnownEntities) {
  make();
  start({"mem"});
  ASSERT_TRUE(until([&] { return listener.first_scans == 2; }));
  const auto before = listener.keys();
  bool given_up = false;
  {
    const NoDescriptors none;
    host->rescan("test");
    given_up = all_given_up({"/d", "/e", "/sys", "/sys/devices"});
  }
  EXPECT_TRUE(given_up);
  EXPECT_EQ(listener.keys(), before);
  EXPECT_TRUE(until([&] { return listener.unresponsive_keys.empty(); }));
  EXPECT_EQ(listener.keys(), before);
}

TEST_F(NoDescriptorsTest, FirstScanWaitsForDescriptors) {
  make();
  listener.devices.clear();
  bool given_up = false;
  {
    const NoDescriptors none;
    start({"mem"});
    given_up = all_given_up({"/d", "/e", "/sys", "/sys/devices"});
  }
  EXPECT_TRUE(given_up);
  EXPECT_EQ(listener.first_scans, 1) << "that of the host before";
  EXPECT_TRUE(until([&] { return listener.first_scans == 2; }));
  EXPECT_TRUE(until([&] { return listener.unresponsive_keys.empty(); }));
  EXPECT_TRUE(listener.has("/d/one/port"));
  EXPECT_TRUE(listener.has("/sys/devices/virtual/mem/null"));
}

TEST_F(NoDescriptorsTest, OpensEventSourcesAfterwards) {
  make();
  bool given_up = false;
  {
    const NoDescriptors none;
    start({"mem"});
    given_up = all_given_up({"/sys/devices"});
  }
  EXPECT_TRUE(given_up);
  ASSERT_TRUE(
      until([&] { return listener.first_scans == 2 && listener.unresponsive_keys.empty(); }));
  ASSERT_TRUE(until([&] { return host->event_counts().rescans > 0; })) << "of what came unheard";
  const char* const uevent = "/sys/devices/virtual/mem/null/uevent";
  if (fake::write_to_kernel(uevent, "change") != 0) GTEST_SKIP() << "it takes root to send events";
  EXPECT_TRUE(until([&] { return host->event_counts().kernel > 0; }));
}

TEST(LinkWatchWithoutDescriptors, LinkWatchIsOpenedLater) {
  loop::UvLoop loop;
  RecordingHints hints;
  RecordingRescans rescans;
  RecordingListener listener;
  Targets targets({}, {});
  UnresponsiveReads missing(loop, targets, listener);
  EventCounts counts;
  LinkWatch watch(loop, hints, rescans, missing, counts);
  {
    const NoDescriptors none;
    watch.start();
  }
  EXPECT_NE(watch.source().degraded, "");
  EXPECT_THAT(rescans.requests, testing::IsEmpty());
  ASSERT_TRUE(fake::run_until(loop, [&] { return !rescans.requests.empty(); }));
  EXPECT_THAT(rescans.requests, testing::ElementsAre("rtnetlink is available again"));
  EXPECT_EQ(watch.source().degraded, "");
}

TEST(NodeFactsWithoutDescriptors, KeepsKnownFactsAndReportsOthersAsUnknown) {
  const fake::TempDir dir;
  dir.write("machine", "Bench PC");
  NodeFactReader reader{loop::Executor(), paths::HostRoot(dir.path())};
  const NodeQuery known{.files = {"/machine"}, .globs = {"/mach*"}};
  const NodeQuery more{.files = {"/absent", "/machine"}, .globs = {"/m*", "/mach*"}};
  const NodeFacts before = reader.read(known);
  NodeFacts without;
  {
    const NoDescriptors none;
    without = reader.read(more);
  }
  EXPECT_EQ(without.exhaustion_errno, EMFILE);
  EXPECT_EQ(without.files, before.files);
  EXPECT_EQ(without.globs, before.globs);
  EXPECT_THAT(without.unknown, testing::ElementsAre(testing::Pair("/absent", "Too many open files"),
                                                    testing::Pair("/m*", "Too many open files")));
  EXPECT_THAT(without.unresponsive, testing::IsSupersetOf({"/absent", "/m*"}));
  const NodeFacts after = reader.read(more);
  EXPECT_EQ(after.exhaustion_errno, 0);
  EXPECT_THAT(after.unresponsive, testing::IsEmpty());
  EXPECT_THAT(after.unknown, testing::IsEmpty());
  EXPECT_THAT(after.globs, testing::ElementsAre("/m*", "/mach*"));
}

}  // namespace
}  // namespace patchbay::host
