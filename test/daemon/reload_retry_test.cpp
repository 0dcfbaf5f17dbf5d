// Tests when a read of the configuration begins, and how a hung read is retried.
#include <sys/mount.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "daemon/config_reloader.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "paths/mounts.h"

namespace patchbay::daemon {
namespace {

using std::chrono_literals::operator""ms;

/// Blocks reads until let_go(). Reads keep it alive, because they can outlive the test.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  size_t begun = 0;

  void pass() {
    std::unique_lock lock(mutex);
    ++begun;
    changed.wait(lock, [&] { return open; });
  }
  size_t count() {
    const std::lock_guard lock(mutex);
    return begun;
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

class ReloadRetryTest : public testing::Test {
 protected:
  ReloadRetryTest() {
    living_.plan = living_.full_plan = std::make_shared<const rules::Plan>();
    reload_ = std::make_unique<ConfigReloader>(
        loop_, *inotify_, paths::HostRoot(), living_, counters_,
        ConfigReloader::Callbacks{.read =
                                      [gate = gate_](const Configuration& before) {
                                        gate->pass();
                                        return before;
                                      },
                                  .report = [](const auto& /*read*/) {},
                                  .apply = [](const auto& /*plan*/) {}},
        ConfigReloader::Times{.period = 1ms, .timeout = 300ms});
  }
  ~ReloadRetryTest() override { gate_->let_go(); }

  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop_).value();
  status::Counters counters_;
  Configuration living_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<ConfigReloader> reload_;
};

TEST_F(ReloadRetryTest, RetriesHungReadOncePerPeriodUpToLimit) {
  reload_->read_again();
  ASSERT_TRUE(
      fake::run_until(loop_, [&] { return gate_->count() == ConfigReloader::kMaxRetries; }));
  EXPECT_TRUE(reload_->status().unresponsive);
  // A change starts another read, up to kMaxReads.
  const auto more = loop_.every(1ms, [&] { reload_->read_again(); });
  ASSERT_TRUE(fake::run_until(loop_, [&] { return gate_->count() == ConfigReloader::kMaxReads; }));
  gate_->let_go();
  ASSERT_TRUE(fake::run_until(loop_, [&] { return !reload_->status().unresponsive; }));
}

/// Counts the reads of a configuration.
class CountedReadsTest : public testing::Test {
 protected:
  void start(std::set<std::string> files, ConfigReloader::Times times = {}) {
    living_.plan = living_.full_plan = std::make_shared<const rules::Plan>();
    living_.files = std::move(files);
    reload_ = std::make_unique<ConfigReloader>(
        loop_, *inotify_, paths::HostRoot(), living_, counters_,
        ConfigReloader::Callbacks{.read =
                                      [reads = reads_](const Configuration& before) {
                                        ++*reads;
                                        return before;
                                      },
                                  .report = [](const auto& /*read*/) {},
                                  .apply = [](const auto& /*plan*/) {}},
        times);
  }

  fake::TempDir dir_;
  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop_).value();
  status::Counters counters_;
  Configuration living_;
  std::shared_ptr<std::atomic<int>> reads_ = std::make_shared<std::atomic<int>>(0);
  std::unique_ptr<ConfigReloader> reload_;
};

/// The configuration is one file.
class ReloadMountTest : public CountedReadsTest {
 protected:
  ReloadMountTest() {
    std::filesystem::create_directory(dir_ / "elsewhere");
    start({dir_.write("config.yaml", "")});
  }

  /// Waits until the current mounts were noticed, and a read because of them would have begun.
  [[nodiscard]] bool mounts_are_noticed() {
    bool noticed = false;
    loop::Subscription gathered;
    const paths::MountWatch mounts(loop_, [&] {
      gathered = loop_.after(ConfigReloader::kDebounce + 50ms, [&] { noticed = true; });
    });
    return fake::run_until(loop_, [&] { return noticed; });
  }
};

TEST_F(ReloadMountTest, UnrelatedMountCausesNoReload) {
  ASSERT_TRUE(mounts_are_noticed());
  const int reads = *reads_;
  const std::string elsewhere = dir_ / "elsewhere";
  if (::mount("patchbay", elsewhere.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "it takes root to mount";
  }
  EXPECT_TRUE(mounts_are_noticed());
  ::umount2(elsewhere.c_str(), MNT_DETACH);
  EXPECT_TRUE(mounts_are_noticed());
  EXPECT_EQ(*reads_, reads);
}

TEST_F(ReloadMountTest, MountOverFileCausesReload) {
  ASSERT_TRUE(mounts_are_noticed());
  const std::string file = dir_ / "config.yaml";
  const std::string other = dir_.write("elsewhere/config.yaml", "");
  for (const bool mounts : {true, false}) {
    const int reads = *reads_;
    const int changed = mounts ? ::mount(other.c_str(), file.c_str(), nullptr, MS_BIND, nullptr)
                               : ::umount2(file.c_str(), MNT_DETACH);
    if (changed != 0) GTEST_SKIP() << "it takes root to mount";
    EXPECT_TRUE(fake::run_until(loop_, [&] { return *reads_ > reads; })) << mounts;
  }
}

/// The configuration is a directory with one file.
class ReloadWriterTest : public CountedReadsTest {
 protected:
  /// `timeout` is the time after which a file is read although its writer has it open.
  void start(loop::Milliseconds timeout) {
    CountedReadsTest::start({dir_ / "conf", dir_.write("conf/a.yaml", "")}, {.writer = timeout});
    ASSERT_TRUE(fake::run_until(loop_, [&] { return *reads_ > 0; })) << "the watches are set";
  }
  /// Waits for the time in which a change would be read. Then returns the number of reads.
  int reads() {
    bool over = false;
    const auto timer = loop_.after(ConfigReloader::kDebounce + 100ms, [&] { over = true; });
    EXPECT_TRUE(fake::run_until(loop_, [&] { return over; }));
    return *reads_;
  }
  bool reads_again(int before) {
    return fake::run_until(loop_, [&] { return *reads_ > before; });
  }
  /// Writes the beginning of a file, which stays open until the stream is destroyed.
  [[nodiscard]] std::ofstream begin(const std::string& name) const {
    std::ofstream file(dir_ / ("conf/" + name));
    file << "resources:\n" << std::flush;
    return file;
  }
};

TEST_F(ReloadWriterTest, ReadsWhenWriterClosesTheFile) {
  start(std::chrono::hours(1));
  for (const std::string name : {"a.yaml", "new.yaml"}) {
    const int before = reads();
    std::ofstream file = begin(name);
    EXPECT_EQ(reads(), before) << name;
    reload_->read_again();
    EXPECT_EQ(reads(), before) << "SIGHUP waits, too";
    file.close();
    EXPECT_TRUE(reads_again(before)) << name;
  }
}

TEST_F(ReloadWriterTest, ReadsAfterTimeoutAlthoughTheFileIsOpen) {
  start(ConfigReloader::kDebounce + 300ms);
  const int before = reads();
  const std::ofstream file = begin("a.yaml");
  EXPECT_TRUE(reads_again(before));
}

/// One read covers both files. So no read begins at the timeout of the first file, because the
/// second file is still too new.
TEST_F(ReloadWriterTest, ReadWaitsForTimeoutOfEachOpenFile) {
  start(std::chrono::seconds(1));
  const int before = reads();
  const std::ofstream first = begin("a.yaml");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(reads(), before);
  const std::ofstream second = begin("b.yaml");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(reads(), before) << "the first timeout is over";
  EXPECT_TRUE(reads_again(before));
}

TEST_F(ReloadWriterTest, ReadsWhenTheOpenFileIsRemoved) {
  start(std::chrono::hours(1));
  const std::ofstream file = begin("new.yaml");
  const int before = reads();
  std::filesystem::remove(dir_ / "conf/new.yaml");
  EXPECT_TRUE(reads_again(before));
}

TEST_F(ReloadWriterTest, OtherOpenFilesDoNotDelayRead) {
  start(std::chrono::hours(1));
  const std::ofstream swap = begin(".a.yaml.swp");
  const std::ofstream log = begin("patchbay.log");
  const int before = reads();
  dir_.write("conf/a.yaml", "resources:\n");
  EXPECT_TRUE(reads_again(before));
}

}  // namespace
}  // namespace patchbay::daemon
