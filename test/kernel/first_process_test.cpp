// Tests the daemon as the first process of a container, which inherits the orphans of probes.
#include <filesystem>
#include <fstream>
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/kernel_devices.h"
#include "fake/programs.h"

namespace patchbay {
namespace {

struct Count {
  int all = 0;
  int zombies = 0;
};

/// The children of all threads of a process.
Count children_of(const std::string& pid) {
  Count count;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + pid + "/task", gone)) {
    std::ifstream children(thread.path() / "children");
    for (std::string child; children >> child;) {
      ++count.all;
      std::ifstream stat("/proc/" + child + "/stat");
      std::string number;
      std::string name;
      std::string state;
      if (stat >> number >> name >> state && state == "Z") ++count.zombies;
    }
  }
  return count;
}

using FirstProcessTest = fake::DaemonTest;

TEST_F(FirstProcessTest, ReapsOrphansOfProbes) {
  if (fake::run_command({"unshare", "--pid", "--fork", "true"}) != 0) {
    GTEST_SKIP() << "no process id namespace of one's own here";
  }
  const std::string ran = dir_.write("ran", "");
  // The probe leaves an orphan, which ends after the probe.
  const std::string probe =
      fake::write_program(dir_, "probe", "setsid sleep 0.05 & echo x >> '" + ran + "'\n");
  const fake::Gophers gophers(dir_);
  gophers.plug("g1");
  start_kubelet();
  start_daemon_in({"unshare", "--pid", "--fork", "--kill-child"},
                  gophers.config("    health:\n      - {exec: [" + probe + "], period: 100ms}\n"));
  ASSERT_TRUE(lists("example.com/gopher", "g1=Healthy"));
  ASSERT_TRUE(fake::wait_until([&] { return std::filesystem::file_size(ran) >= 20; }));

  std::string daemon;
  std::ifstream("/proc/" + std::to_string(daemon_->pid()) + "/task/" +
                std::to_string(daemon_->pid()) + "/children") >>
      daemon;
  ASSERT_FALSE(daemon.empty());
  EXPECT_TRUE(fake::wait_until([&] { return children_of(daemon).all > 0; }))
      << "the orphans are its own";
  EXPECT_TRUE(fake::wait_until([&] { return children_of(daemon).zombies == 0; }));
}

}  // namespace
}  // namespace patchbay
