// Tests that a reload leaks nothing. Runs the daemon's binary.
#include <filesystem>
#include <string>
#include <vector>

#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kMole;

class ReloadLeaksTest : public fake::ReloadTest {
 protected:
  /// Changes the configuration and waits until it is active. The text must be new.
  void reload_to(const std::string& config) {
    const size_t mark = log_mark();
    edit(config);
    // The signal reloads at once, without the wait for further changes.
    daemon_->send_signal(SIGHUP);
    ASSERT_TRUE(logs("configuration changed", mark));
  }

  /// A configuration that depends on the number: its values, its devices, and whether it has the
  /// moles.
  [[nodiscard]] std::string numbered(int number) const {
    std::string config =
        gophers_.config("    annotations: {number: \"" + std::to_string(number) + "\"}\n");
    if (number % 10 == 0) config += moles();
    return config + "  - {name: example.com/vole, linger: 0s, match: {glob: " +
           (dir_ / ("voles/v" + std::to_string(number % 7))) + ", type: file}}\n";
  }

  /// The number of entries in a directory of the daemon in /proc.
  [[nodiscard]] size_t count_of(const std::string& what) const {
    const fs::path path = "/proc/" + std::to_string(daemon_->pid()) + "/" + what;
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }
};

TEST_F(ReloadLeaksTest, ThousandReloadsLeakNoDescriptorsOrThreads) {
  start_serving(numbered(1));
  for (int i = 2; i < 30; ++i) ASSERT_NO_FATAL_FAILURE(reload_to(numbered(i)));
  ASSERT_TRUE(fake::wait_until([&] { return kubelet_->streams_open() == 2; }));
  const size_t descriptors = count_of("fd");
  const size_t threads = count_of("task");
  for (int i = 30; i < 1030; ++i) ASSERT_NO_FATAL_FAILURE(reload_to(numbered(i)));
  // The daemon closes the last removed resources a moment later.
  EXPECT_TRUE(fake::wait_until([&] { return count_of("fd") <= descriptors; }))
      << count_of("fd") << " descriptors, there were " << descriptors;
  // Allows a few more work threads, because the largest number in use at once is random.
  EXPECT_TRUE(fake::wait_until([&] { return count_of("task") <= threads + 4; }))
      << count_of("task") << " threads, there were " << threads;
  EXPECT_EQ(gopher_lists(), 1U);
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
