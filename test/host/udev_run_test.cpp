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
#include "host/udev_database.h"
#include "host/udevd_state.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// What shows in a directory that stands for /run/udev.
class UdevRunTest : public testing::Test {
 protected:
  [[nodiscard]] UdevdState::Callbacks callbacks() {
    return {.on_udevd = [this](bool runs) { told.emplace_back(runs ? "udevd" : "no udevd"); },
            .on_queue = [this](bool exists) { told.emplace_back(exists ? "queue" : "no queue"); }};
  }
  [[nodiscard]] UdevDatabase::Callbacks database_callbacks() {
    return {.on_record = [this](const auto& id, const auto& path) { told.push_back(id + path); },
            .on_deleted = [this](const auto& id) { told.push_back("deleted " + id); },
            .on_lost = [this] { told.emplace_back("lost"); },
            .on_written = [] {}};
  }
  [[nodiscard]] bool tells(const std::string& text) {
    return fake::run_until(loop, [&] { return std::ranges::find(told, text) != told.end(); });
  }

  fake::TempDir dir;
  loop::UvLoop loop;
  std::unique_ptr<loop::Inotify> inotify = loop::Inotify::create(loop).value();
  std::vector<std::string> told;
};

TEST_F(UdevRunTest, TheFirstStateIsNotTold) {
  dir.write("udev/control", "");
  UdevdState run(*inotify, dir / "udev", callbacks());
  run.start();
  EXPECT_TRUE(run.udevd_runs());
  EXPECT_FALSE(run.queue_exists());
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(UdevRunTest, UdevdComesWithItsDirectory) {
  UdevdState run(*inotify, dir / "run/udev", callbacks());
  run.start();
  dir.write("run/udev/control", "");
  EXPECT_TRUE(tells("udevd"));
  fs::remove_all(dir / "run");
  EXPECT_TRUE(tells("no udevd"));
  told.clear();
  dir.write("run/udev/control", "");
  EXPECT_TRUE(tells("udevd"));
}

TEST_F(UdevRunTest, ANewSocketIsANewUdevd) {
  dir.write("control", "");
  UdevdState run(*inotify, dir.path(), callbacks());
  run.start();
  dir.write("new", "");
  fs::rename(dir / "new", dir / "control");
  EXPECT_TRUE(tells("udevd"));
  EXPECT_THAT(told, ElementsAre("no udevd", "udevd"));
}

TEST_F(UdevRunTest, AShortQueueIsToldToo) {
  UdevdState run(*inotify, dir.path(), callbacks());
  run.start();
  dir.write("queue", "");
  fs::remove(dir / "queue");
  EXPECT_TRUE(tells("no queue"));
}

TEST_F(UdevRunTest, AQueueIsThereBeforeItIsTold) {
  UdevdState run(*inotify, dir.path(), callbacks());
  run.start();
  dir.write("queue", "");
  EXPECT_TRUE(run.queue_exists_now());
  EXPECT_FALSE(run.queue_exists());
  EXPECT_TRUE(tells("queue"));
  EXPECT_TRUE(run.queue_exists());
}

TEST_F(UdevRunTest, AUdevdThatWasKilledIsKnownByItsSocket) {
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

TEST_F(UdevRunTest, ARecordNamesItsDevice) {
  fs::create_directories(dir / "data");
  UdevDatabase database(loop, *inotify, dir / "data", database_callbacks());
  database.start();
  dir.write("data/.#c1:3", "");  // As udevd: written aside, then renamed into place.
  fs::rename(dir / "data/.#c1:3", dir / "data/c1:3");
  EXPECT_TRUE(tells("c1:3/sys/devices/virtual/mem/null"));
  dir.write("data/n1", "");
  EXPECT_TRUE(tells("n1/sys/devices/virtual/net/lo"));
  dir.write("data/+mem:null", "");
  EXPECT_TRUE(tells("+mem:null/sys/devices/virtual/mem/null"));
  dir.write("data/c999:999", "");
  fs::remove(dir / "data/c1:3");
  EXPECT_TRUE(tells("deleted c1:3"));
  EXPECT_EQ(told.size(), 4U);
}

TEST_F(UdevRunTest, ADatabaseThatComesLaterIsReadWhole) {
  UdevDatabase database(loop, *inotify, dir / "run/data", database_callbacks());
  database.start();
  EXPECT_THAT(told, IsEmpty());
  dir.write("run/data/c1:3", "");
  EXPECT_TRUE(tells("lost"));
}

}  // namespace
}  // namespace patchbay::host
