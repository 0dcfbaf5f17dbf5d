// Tests more hung probes and paths than there are work threads.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/hanging_mount.h"

namespace patchbay {
namespace {

using fake::kGopher;
using testing::HasSubstr;

/// Mounts five hung file systems. One gopher needs none of them.
class HangingProbesTest : public fake::DaemonTest {
 protected:
  static constexpr int kMounts = 5;

  void SetUp() override {
    if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
    for (int i = 0; i < kMounts; ++i) {
      const std::string directory = dir_ / fmt::format("mnt/{}", i);
      std::filesystem::create_directories(directory);
      mounts_.emplace_back(
          std::make_unique<fake::HangingMount>(fake::HangingMount::Over{directory}));
    }
    gophers_.plug("g1");
    dir_.write("lib/g1", "");
    dir_.write("state/g1", "up");
    start_kubelet();
  }

  /// Adds a resource with these keys and a unit for each file system. PATH in the keys becomes a
  /// path on it.
  void add_hanging(const std::string& keys) {
    const std::string own = fmt::format("h{}", hanging_);
    for (int i = 0; i < kMounts; ++i) dir_.write(fmt::format("{}/{}", own, i), "");
    std::string on_mount = keys;
    const std::string word = "PATH";
    on_mount.replace(on_mount.find(word), word.size(), dir_ / ("mnt/$(name)/" + own));
    more_ += fmt::format("  - {{name: {}, match: {{glob: {}}}, id: {}-$(name),\n     {}}}\n",
                         hanging_resource(hanging_), dir_ / (own + "/*"), own, on_mount);
    ++hanging_;
  }
  void add_hanging_probe(const std::string& probe) {
    add_hanging("health: [{" + probe + ", timeout: 1s, period: 1s, failureThreshold: 1}]");
  }

  /// Starts the daemon without the leak check at its end, which would wait for the hung paths.
  void start() {
    start_daemon_in({"env", "ASAN_OPTIONS=detect_leaks=0"},
                    gophers_.config("    health: [{file: {" + (dir_ / "state/$(name)") +
                                    ": up}, period: 1h, failureThreshold: 1}]\n"
                                    "    mounts: [{hostPath: " +
                                    (dir_ / "lib/$(name)") + ", containerPath: /lib/$(id)}]\n") +
                        more_);
  }
  static std::string hanging_resource(int index) {
    return fmt::format("example.com/hanging{}", index);
  }
  void expect_all_hang() {
    for (int i = 0; i < hanging_; ++i) {
      std::string all;
      for (int k = 0; k < kMounts; ++k)
        all += fmt::format("{}h{}-{}=Unhealthy", k > 0 ? " " : "", i, k);
      ASSERT_TRUE(lists(hanging_resource(i), all));
    }
  }
  /// Expects that changes of the gopher's probed file and needed path are noticed at once. No
  /// period of a probe ends in this time.
  void expect_the_gopher_is_followed() {
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
    for (const std::string& file : {dir_ / "state/g1", dir_ / "lib/g1"}) {
      size_t from = kubelet_->log().size();
      const size_t from_line = daemon_->lines().size();
      std::filesystem::rename(file, file + ".gone");
      ASSERT_TRUE(lists(kGopher, "g1=Unhealthy", from)) << file;
      // Skips earlier log lines, which may arrive late.
      const auto line = daemon_->wait_for_line(
          R"("unit is unhealthy","resource":"example.com/gopher","unit":"g1")", from_line);
      EXPECT_THAT(line.value_or(""), HasSubstr(file)) << "for another reason";
      from = kubelet_->log().size();
      std::filesystem::rename(file + ".gone", file);
      ASSERT_TRUE(lists(kGopher, "g1=Healthy", from)) << file;
    }
    EXPECT_EQ(daemon_->count_lines("no worker thread available"), 0U);
    EXPECT_EQ(daemon_->count_lines("thread stalled"), 0U);
  }

  std::vector<std::unique_ptr<fake::HangingMount>> mounts_;
  fake::Gophers gophers_{dir_};
  std::string more_;
  int hanging_ = 0;
};

TEST_F(HangingProbesTest, IsolatesProbesOnFiveHungFileSystems) {
  add_hanging_probe("open: PATH");
  add_hanging_probe("open: {path: PATH, mode: rw}");
  add_hanging_probe("file: {PATH: up}");
  add_hanging_probe("exec: [/bin/cat, PATH]");
  add_hanging("mounts: [{hostPath: PATH, containerPath: /lib/$(id)}]");
  start();
  expect_all_hang();
  expect_the_gopher_is_followed();
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

/// There are more hung paths than threads. Only the limit for each mount leaves threads free.
TEST_F(HangingProbesTest, IsolatesNeededPathsOnFiveHungFileSystems) {
  for (int i = 0; i < 10; ++i) add_hanging("mounts: [{hostPath: PATH, containerPath: /lib/$(id)}]");
  start();
  expect_all_hang();
  expect_the_gopher_is_followed();
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
