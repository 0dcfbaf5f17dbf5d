#include <sys/inotify.h>
#include <sys/prctl.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/facts.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "host/host.h"
#include "host/recording_listener.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// An Inotify that uses the real one and records its watches. A test can change a path just before
/// it is watched.
class WatchingInotify final : public loop::Inotify {
 public:
  explicit WatchingInotify(std::unique_ptr<loop::Inotify> real) : real_(std::move(real)) {}

  Result<loop::Subscription> watch(const std::string& directory,
                                   std::function<void(const loop::InotifyEvent&)> on_event,
                                   uint32_t extra_mask) override {
    if (before_watch) before_watch(directory);
    const auto notify = [this, on_event = std::move(on_event)](const loop::InotifyEvent& event) {
      on_event(event);
      reported.insert(event.name);
    };
    return counted(directory, real_->watch(directory, notify, extra_mask));
  }
  Result<loop::Subscription> watch_file(
      const std::string& file, std::function<void(const loop::InotifyEvent&)> on_event) override {
    if (before_watch) before_watch(file);
    send_file_event = on_event;
    return counted(file, real_->watch_file(file, std::move(on_event)));
  }

  std::function<void(const std::string& path)> before_watch;
  std::multiset<std::string> watched;  ///< Paths with a watch.
  std::set<std::string> reported;      ///< Names of entries with an event.
  /// Sends an event of the file that was watched last, as if inotify had sent it. Null if no file
  /// was watched.
  std::function<void(const loop::InotifyEvent&)> send_file_event;

 private:
  Result<loop::Subscription> counted(const std::string& path, Result<loop::Subscription> watch) {
    if (!watch) return watch;
    watched.insert(path);
    const auto held = std::make_shared<loop::Subscription>(*std::move(watch));
    return loop::Subscription([this, path, held] {
      watched.erase(watched.find(path));
      held->reset();
    });
  }

  std::unique_ptr<loop::Inotify> real_;
};

/// For the whole host on a temporary tree, with static names, paths, and real inotify.
class FileWatchTest : public testing::Test {
 protected:
  /// Starts the host. `file` returns the path of the file that an entity's rules compare, from the
  /// entity's name.
  void start_with_files(HostQuery query, std::function<std::string(const std::string& name)> file) {
    query.wanted = cheap_facts;
    query.files = [file = std::move(file)](const DeviceFacts& facts) {
      return std::vector<std::string>{file(facts.name)};
    };
    start(std::move(query));
  }
  void start(HostQuery query, bool watch = true) {
    if (!query.wanted) query.wanted = cheap_facts;
    host = Host::create(loop, inotify, {.watch = watch, .root = root},
                        std::make_shared<const HostQuery>(std::move(query)), listener);
    host->start();
    ASSERT_TRUE(fake::run_until(loop, [&] { return listener.first_scans == 1; }));
  }
  static HostQuery names(std::vector<std::string> static_names) {
    HostQuery query;
    query.static_names = std::move(static_names);
    return query;
  }
  static std::string bench_file(const std::string& /*name*/) { return "/etc/lab/bench"; }

  /// The content of the one file that was read for the entity; empty if the file is absent.
  [[nodiscard]] std::string content(const std::string& key) const {
    const auto it = listener.devices.find(key);
    if (it == listener.devices.end()) return "not reported";
    const auto files = fake::named(*it->second, Fact::file);
    return files.empty() ? "" : files.begin()->second;
  }
  [[nodiscard]] bool reads(const std::string& text, const std::string& key = "static:scope") {
    return until([&] { return content(key) == text; });
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }
  [[nodiscard]] bool watches(const std::string& path) const {
    return inotify.watched.contains(dir / path);
  }

  fake::TempDir dir;
  paths::HostRoot root{dir.path()};
  loop::UvLoop loop;
  RecordingListener listener;
  WatchingInotify inotify{loop::Inotify::create(loop).value()};
  std::unique_ptr<Host> host;
};

TEST_F(FileWatchTest, ReportsStaticNamesOnce) {
  start(names({"scope", "psu-2"}));
  EXPECT_THAT(listener.log,
              ElementsAre("seen static:scope", "seen static:psu-2", "first scan done"));
  const DeviceFacts& scope = *listener.devices.at("static:scope");
  EXPECT_EQ(scope.kind, DeviceKind::static_name);
  EXPECT_EQ(scope.name, "scope");
  host->rescan("test");
  ASSERT_TRUE(until([&] { return host->event_counts().rescans == 1; }));
  bool later_work_done = false;
  loop.work([] {}, [&] { later_work_done = true; });
  ASSERT_TRUE(until([&] { return later_work_done; }));
  EXPECT_THAT(listener.keys(), ElementsAre("static:psu-2", "static:scope"));
  EXPECT_EQ(listener.log.size(), 3U);
}

TEST_F(FileWatchTest, ReadsFilesAtTheFirstScan) {
  dir.write("dev/gopher0", "");
  dir.write("etc/lab/gopher0", "underground\n");
  dir.write("etc/lab/scope", "192.0.2.7\n");
  HostQuery query = names({"scope"});
  query.glob_patterns = {"/dev/gopher*"};
  start_with_files(std::move(query), [](const std::string& name) { return "/etc/lab/" + name; });
  EXPECT_EQ(fake::named(*listener.devices.at("static:scope"), Fact::file),
            (NamedValues{{"/etc/lab/scope", "192.0.2.7"}}));
  EXPECT_EQ(fake::named(*listener.devices.at("/dev/gopher0"), Fact::file),
            (NamedValues{{"/etc/lab/gopher0", "underground"}}));
}

TEST_F(FileWatchTest, FollowsWritesReplacementAndDeletion) {
  const std::string file = dir.write("etc/lab/bench", "1");
  start_with_files(names({"scope"}), bench_file);
  EXPECT_EQ(content("static:scope"), "1");
  dir.write("etc/lab/bench", "2");
  EXPECT_TRUE(reads("2"));
  fs::rename(dir.write("etc/lab/.new", "3"), file);
  EXPECT_TRUE(reads("3"));
  dir.write("etc/lab/bench", "4");
  EXPECT_TRUE(reads("4")) << "now the new file is watched";
  fs::remove(file);
  EXPECT_TRUE(reads(""));
  dir.write("etc/lab/bench", "5");
  EXPECT_TRUE(reads("5"));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(FileWatchTest, ReadsAFileThatStaysOpenAfterAWrite) {
  std::ofstream file(dir.write("etc/lab/bench", "1"));
  start_with_files(names({"scope"}), bench_file);
  file << "2" << std::flush;
  EXPECT_TRUE(reads("2"));
  file << "3" << std::flush;
  EXPECT_TRUE(reads("23"));
}

TEST_F(FileWatchTest, FollowsDirectoriesThatDoNotExistYet) {
  start_with_files(names({"scope"}), bench_file);
  EXPECT_EQ(content("static:scope"), "");
  dir.write("etc/lab/bench", "1");
  EXPECT_TRUE(reads("1"));
  fs::remove_all(dir / "etc");
  EXPECT_TRUE(reads(""));
  dir.write("etc/lab/bench", "2");
  EXPECT_TRUE(reads("2"));
  fs::rename(dir / "etc/lab", dir / "elsewhere");
  EXPECT_TRUE(reads(""));
  fs::rename(dir / "elsewhere", dir / "etc/lab");
  EXPECT_TRUE(reads("2"));
}

TEST_F(FileWatchTest, FollowsARetargetedLink) {
  dir.write("data/one/bench", "1");
  dir.write("data/two/bench", "2");
  fs::create_directory_symlink("one", dir / "data/now");
  fs::create_directories(dir / "etc/lab");
  fs::create_symlink("../../data/now/bench", dir / "etc/lab/bench");
  start_with_files(names({"scope"}), bench_file);
  EXPECT_EQ(content("static:scope"), "1");
  fs::create_directory_symlink("two", dir / "data/next");
  fs::rename(dir / "data/next", dir / "data/now");
  EXPECT_TRUE(reads("2"));
  dir.write("data/two/bench", "3");
  EXPECT_TRUE(reads("3"));
}

TEST_F(FileWatchTest, NoticesAChangeBetweenReadingAndWatching) {
  dir.write("etc/lab/bench", "1");
  inotify.before_watch = [&](const std::string& path) {
    if (!path.ends_with("/bench")) return;
    inotify.before_watch = nullptr;
    dir.write("etc/lab/bench", "2");
  };
  start_with_files(names({"scope"}), bench_file);
  EXPECT_TRUE(reads("2"));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(FileWatchTest, WatchesAFileReplacedBetweenReadingAndWatching) {
  dir.write("etc/lab/bench", "1");
  inotify.before_watch = [&](const std::string& path) {
    if (!path.ends_with("/lab")) return;
    inotify.before_watch = nullptr;
    fs::remove_all(dir / "etc");
    dir.write("etc/lab/bench", "2");
  };
  start_with_files(names({"scope"}), bench_file);
  EXPECT_TRUE(reads("2"));
  ASSERT_TRUE(until([&] { return watches("etc/lab/bench"); }));
  dir.write("etc/lab/bench", "3");
  EXPECT_TRUE(reads("3"));
}

TEST_F(FileWatchTest, FollowsTreeRemovedBetweenReadingAndWatching) {
  dir.write("etc/lab/bench", "1");
  inotify.before_watch = [&](const std::string& path) {
    if (!path.ends_with("/lab")) return;
    inotify.before_watch = nullptr;
    fs::remove_all(dir / "etc");
  };
  start_with_files(names({"scope"}), bench_file);
  EXPECT_TRUE(reads(""));
  dir.write("etc/lab/bench", "2");
  EXPECT_TRUE(reads("2"));
}

TEST_F(FileWatchTest, EntitiesShareAndReleaseWatches) {
  dir.write("dev/gopher0", "");
  dir.write("dev/gopher1", "");
  dir.write("etc/lab/bench", "1");
  HostQuery query;
  query.glob_patterns = {"/dev/gopher*"};
  start_with_files(std::move(query), bench_file);
  ASSERT_TRUE(until([&] { return watches("etc/lab/bench"); }));
  EXPECT_EQ(inotify.watched.count(dir / "etc/lab/bench"), 1U);
  EXPECT_EQ(inotify.watched.count(dir / "etc/lab"), 1U);
  dir.write("etc/lab/bench", "2");
  EXPECT_TRUE(reads("2", "/dev/gopher0"));
  EXPECT_TRUE(reads("2", "/dev/gopher1"));
  fs::remove(dir / "dev/gopher0");
  ASSERT_TRUE(until([&] { return !listener.has("/dev/gopher0"); }));
  dir.write("etc/lab/bench", "3");
  EXPECT_TRUE(reads("3", "/dev/gopher1"));
  fs::remove(dir / "dev/gopher1");
  EXPECT_TRUE(until([&] { return !watches("etc/lab/bench") && !watches("etc/lab"); }));
  EXPECT_THAT(listener.keys(), IsEmpty());
}

TEST_F(FileWatchTest, IgnoresOtherWritesInTheDirectory) {
  dir.write("etc/lab/bench", "1");
  std::ofstream busy(dir.write("etc/lab/busy", ""));
  start_with_files(names({"scope"}), bench_file);
  ASSERT_TRUE(until([&] { return watches("etc/lab/bench"); }));
  ASSERT_TRUE(until([&] { return listener.seen_count["static:scope"] == 2; }));
  const auto reads_before = host->event_counts().reads;
  busy << "1" << std::flush;
  dir.write("etc/lab/other", "");
  ASSERT_TRUE(until([&] { return inotify.reported.contains("other"); }));
  EXPECT_FALSE(inotify.reported.contains("busy"));
  EXPECT_EQ(host->event_counts().reads, reads_before);
}

TEST_F(FileWatchTest, ReadsProcFilesAtARescan) {
  const auto rename_this_process = [](const char* name) { ::prctl(PR_SET_NAME, name); };
  rename_this_process("gopher1");
  root = paths::HostRoot();
  start_with_files(names({"scope"}), [](const std::string&) { return "/proc/self/comm"; });
  EXPECT_EQ(content("static:scope"), "gopher1");
  ASSERT_TRUE(until([&] { return inotify.watched.contains("/"); }));
  EXPECT_THAT(inotify.watched, ElementsAre("/"));
  rename_this_process("gopher2");
  host->rescan("test");
  EXPECT_TRUE(reads("gopher2"));
}

TEST_F(FileWatchTest, OverflowRereadsEverything) {
  dir.write("etc/lab/bench", "1");
  start_with_files(names({"scope"}), bench_file);
  ASSERT_TRUE(until([&] { return inotify.send_file_event != nullptr; }));
  const auto send_event = inotify.send_file_event;
  send_event({.mask = IN_Q_OVERFLOW, .name = ""});
  EXPECT_TRUE(until([&] { return host->event_counts().rescans == 1; }));
  EXPECT_EQ(host->event_counts().overflows, 1U);
}

TEST_F(FileWatchTest, ReportsAnEventWhileAFileIsBeingWritten) {
  dir.write("etc/lab/bench", "1");
  start_with_files(names({"scope"}), bench_file);
  ASSERT_TRUE(until([&] { return inotify.send_file_event != nullptr; }));
  const auto send_event = inotify.send_file_event;
  const auto is_ahead = [&] {
    return listener.event_count["static:scope"] > listener.seen_count["static:scope"];
  };
  EXPECT_TRUE(until([&] {
    send_event({.mask = IN_MODIFY, .name = ""});
    host->refresh_if_known("static:scope");
    return is_ahead();
  })) << "the event is reported although the read is discarded";
}

TEST_F(FileWatchTest, ScanWithoutEventsWatchesNothing) {
  dir.write("etc/lab/bench", "1");
  HostQuery query = names({"scope"});
  query.files = [](const DeviceFacts&) { return std::vector<std::string>{"/etc/lab/bench"}; };
  start(std::move(query), false);
  EXPECT_EQ(content("static:scope"), "1");
  EXPECT_THAT(inotify.watched, IsEmpty());
}

}  // namespace
}  // namespace patchbay::host
