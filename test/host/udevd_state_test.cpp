#include "host/udev/udevd_state.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/unique_fd.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "host/udev/udev_database.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// Tests the state of udevd, from a directory that replaces /run/udev.
class UdevdStateTest : public testing::Test, public UdevDatabase::Listener {
 protected:
  [[nodiscard]] UdevdState::Callbacks callbacks() {
    return {
        .on_udevd = [this](bool runs) { reported.emplace_back(runs ? "udevd" : "no udevd"); },
        .on_queue = [this](bool exists) { reported.emplace_back(exists ? "queue" : "no queue"); }};
  }
  void record_written() override {}
  void record_found(const std::string& id, const std::string& syspath) override {
    reported.push_back(id + syspath);
  }
  void record_deleted(const std::string& id) override { reported.push_back("deleted " + id); }
  void records_lost() override { reported.emplace_back("lost"); }

  [[nodiscard]] bool reports(const std::string& text) {
    return fake::run_until(loop,
                           [&] { return std::ranges::find(reported, text) != reported.end(); });
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  std::unique_ptr<loop::Inotify> inotify = loop::Inotify::create(loop).value();
  std::vector<std::string> reported;
};

TEST_F(UdevdStateTest, DoesNotReportTheFirstState) {
  dir.write("udev/control", "");
  UdevdState run(*inotify, dir / "udev", callbacks());
  run.start();
  EXPECT_TRUE(run.udevd_runs());
  EXPECT_FALSE(run.queue_exists());
  EXPECT_THAT(reported, IsEmpty());
}

TEST_F(UdevdStateTest, NoticesUdevdThatCreatesItsDirectory) {
  UdevdState run(*inotify, dir / "run/udev", callbacks());
  run.start();
  dir.write("run/udev/control", "");
  EXPECT_TRUE(reports("udevd"));
  fs::remove_all(dir / "run");
  EXPECT_TRUE(reports("no udevd"));
  reported.clear();
  dir.write("run/udev/control", "");
  EXPECT_TRUE(reports("udevd"));
}

TEST_F(UdevdStateTest, NewSocketIsANewUdevd) {
  dir.write("control", "");
  UdevdState run(*inotify, dir.path(), callbacks());
  run.start();
  dir.write("new", "");
  fs::rename(dir / "new", dir / "control");
  EXPECT_TRUE(reports("udevd"));
  EXPECT_THAT(reported, ElementsAre("no udevd", "udevd"));
}

TEST_F(UdevdStateTest, ReportsAShortQueue) {
  UdevdState run(*inotify, dir.path(), callbacks());
  run.start();
  dir.write("queue", "");
  fs::remove(dir / "queue");
  EXPECT_TRUE(reports("no queue"));
}

TEST_F(UdevdStateTest, QueueExistsBeforeItIsReported) {
  UdevdState run(*inotify, dir.path(), callbacks());
  run.start();
  dir.write("queue", "");
  EXPECT_TRUE(run.queue_exists_now());
  EXPECT_FALSE(run.queue_exists());
  EXPECT_TRUE(reports("queue"));
  EXPECT_TRUE(run.queue_exists());
}

TEST_F(UdevdStateTest, DetectsAKilledUdevdByItsSocket) {
  UdevdState run(*inotify, dir.path(), callbacks());
  EXPECT_FALSE(run.udevd_is_dead()) << "there is none";
  UniqueFd udevd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = dir / "control";
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(bind(udevd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(udevd.get(), 1), 0);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(run.udevd_is_dead()) << "it only does not answer";
  udevd.reset();
  EXPECT_TRUE(run.udevd_is_dead());
}

TEST_F(UdevdStateTest, RecordIdentifiesItsDevice) {
  fs::create_directories(dir / "data");
  UdevDatabase database(loop, *inotify, dir / "data", *this);
  database.start();
  dir.write("data/.#c1:3", "");  // udevd writes a record under another name, then renames it.
  fs::rename(dir / "data/.#c1:3", dir / "data/c1:3");
  EXPECT_TRUE(reports("c1:3/sys/devices/virtual/mem/null"));
  dir.write("data/n1", "");
  EXPECT_TRUE(reports("n1/sys/devices/virtual/net/lo"));
  dir.write("data/+mem:null", "");
  EXPECT_TRUE(reports("+mem:null/sys/devices/virtual/mem/null"));
  dir.write("data/c999:999", "");
  fs::remove(dir / "data/c1:3");
  EXPECT_TRUE(reports("deleted c1:3"));
  EXPECT_EQ(reported.size(), 4U);
}

TEST_F(UdevdStateTest, DatabaseCreatedLaterReportsLostRecords) {
  UdevDatabase database(loop, *inotify, dir / "run/data", *this);
  database.start();
  EXPECT_THAT(reported, IsEmpty());
  dir.write("run/data/c1:3", "");
  EXPECT_TRUE(reports("lost"));
}

}  // namespace
}  // namespace patchbay::host
