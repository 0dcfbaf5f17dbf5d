// Tests the rule of examples/configs/free-disks.yaml with disks in use by the running kernel.
#include <sys/mount.h>
#include <sys/swap.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "fake/daemon_fixture.h"
#include "fake/loop_disk.h"
#include "fake/patience.h"
#include "fake/udev_daemon.h"

namespace patchbay {
namespace {

constexpr const char* kDisk = "lab.example.com/disk";

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

/// The part of a RAID member's superblock, version 1.2, by which programs recognize it. The
/// checksum is wrong, so that the array is not assembled.
std::string raid_member() {
  std::string block(256, '\0');
  block.replace(0, 8, std::string("\xfc\x4e\x2b\xa9\x01\0\0\0", 8));
  block.replace(16, 16, "patchbay-test-md");
  block[144] = 8;  // The position of the superblock, in sectors.
  return block;
}

class DisksInUseTest : public fake::DaemonTest {
 protected:
  enum Use { btrfs_first, btrfs_second, volume, swap, raid, ceph, blank, kDisks };

  void SetUp() override {
    if (const auto why = unavailable()) GTEST_SKIP() << *why;
    ASSERT_TRUE(udevd_.runs());
    for (int use = 0; use < kDisks; ++use) {
      disks_.emplace_back(dir_ / ("disk" + std::to_string(use)));
      ASSERT_TRUE(disks_.back().made());
    }
    start_kubelet();
  }
  void TearDown() override {
    release();
    disks_.clear();
    // Waits until udevd has removed its records of the disks.
    EXPECT_TRUE(!udevd_.runs() || fake::UdevDaemon::settle());
  }

  static std::optional<std::string> unavailable() {
    if (const auto why = fake::UdevDaemon::unavailable()) return why;
    if (::access("/dev/loop-control", R_OK | W_OK) != 0) return "no loop devices here";
    fake::run_command({"modprobe", "--quiet", "btrfs"});
    if (content_of("/proc/filesystems").find("\tbtrfs\n") == std::string::npos) {
      return "this kernel has no btrfs";
    }
    for (const std::string program : {"mkfs.btrfs", "pvcreate", "mkswap", "wipefs"}) {
      if (fake::run_command({program, "--version"}) != 0) return program + " is not installed";
    }
    return std::nullopt;
  }

  /// Puts each disk except the blank one into use, by real programs if the kernel supports that.
  void put_into_use() {
    const auto node = [&](Use use) { return disks_[use].devnode(); };
    ASSERT_EQ(fake::run_command(
                  {"mkfs.btrfs", "--quiet", "--force", node(btrfs_first), node(btrfs_second)}),
              0);
    std::filesystem::create_directory(mount_point());
    ASSERT_EQ(::mount(node(btrfs_first).c_str(), mount_point().c_str(), "btrfs", 0, nullptr), 0);
    ASSERT_EQ(fake::run_command({"pvcreate", "--yes", "--quiet", node(volume)}), 0);
    ASSERT_EQ(fake::run_command({"mkswap", node(swap)}), 0);
    ASSERT_EQ(::swapon(node(swap).c_str(), 0), 0);
    ASSERT_TRUE(disks_[raid].write(4096, raid_member()));
    ASSERT_TRUE(disks_[ceph].write(0, "bluestore block device\n"));
  }
  void release() {
    // Does not unmount lazily, which would release the disks after udevd's end, so that their
    // records stay.
    EXPECT_TRUE(fake::wait_until(
        [&] { return ::umount2(mount_point().c_str(), 0) == 0 || errno != EBUSY; }));
    if (disks_.size() == kDisks) ::swapoff(disks_[swap].devnode().c_str());
  }
  [[nodiscard]] std::string mount_point() const { return dir_ / "mounted"; }

  /// The example's rule for whole disks, changed for the disks of this test, which are not NVMe and
  /// have no WWN.
  [[nodiscard]] std::string config() const {
    std::string text = content_of("examples/configs/free-disks.yaml");
    std::string names;
    for (const fake::LoopDisk& disk : disks_) names += (names.empty() ? "" : ", ") + disk.name();
    replace(text, "driver: nvme", "name: [" + names + "]");
    replace(text, "id: $(attribute.wwid)", "id: $(name)");
    replace(text, "defaults: {", "defaults: {linger: 1h, ");
    return text.substr(0, text.find("  - name: partition"));
  }
  /// The list of the disks with a non-null `healthy`, as "loop3=Healthy loop4=Unhealthy".
  [[nodiscard]] std::string list(const std::array<std::optional<bool>, kDisks>& healthy) const {
    std::map<std::pair<size_t, std::string>, std::string> words;
    for (size_t i = 0; i < kDisks; ++i) {
      if (!healthy[i]) continue;
      const std::string& name = disks_[i].name();
      words[{name.size(), name}] = name + (*healthy[i] ? "=Healthy" : "=Unhealthy");
    }
    std::string text;
    for (const auto& [key, word] : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  fake::UdevDaemon udevd_;
  std::vector<fake::LoopDisk> disks_;
};

TEST_F(DisksInUseTest, OnlyUnusedDiskIsOffered) {
  ASSERT_NO_FATAL_FAILURE(put_into_use());
  ASSERT_TRUE(fake::UdevDaemon::settle());
  start_daemon(config());
  std::array<std::optional<bool>, kDisks> offered{};
  offered[blank] = true;
  EXPECT_TRUE(lists(kDisk, list(offered)));
  EXPECT_FALSE(kubelet_->allocate(kDisk, {disks_[btrfs_second].name()}));
}

TEST_F(DisksInUseTest, DiskInUseIsLostAndOfferedAgainAfterErase) {
  std::array<std::optional<bool>, kDisks> offered{};
  offered.fill(true);
  ASSERT_TRUE(fake::UdevDaemon::settle());
  start_daemon(config());
  ASSERT_TRUE(lists(kDisk, list(offered)));

  ASSERT_NO_FATAL_FAILURE(put_into_use());
  offered.fill(false);
  offered[blank] = true;
  EXPECT_TRUE(lists(kDisk, list(offered)));

  release();
  ASSERT_EQ(fake::run_command({"wipefs", "--all", disks_[raid].devnode()}), 0);
  offered[raid] = true;
  EXPECT_TRUE(lists(kDisk, list(offered)));
}

}  // namespace
}  // namespace patchbay
