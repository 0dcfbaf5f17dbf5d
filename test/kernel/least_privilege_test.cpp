// Runs the daemon as a container runtime starts it by deploy/patchbay.yaml: without any privilege.
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "fake/daemon_fixture.h"
#include "fake/http_client.h"
#include "fake/kernel_devices.h"
#include "fake/memory_cgroup.h"
#include "fake/udev_daemon.h"

namespace patchbay {
namespace {

using fake::kZram;

/// The word in the file that follows these words, each of which is searched after the previous one.
std::string word_after(const std::string& path, const std::vector<std::string>& words) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  size_t at = 0;
  for (const std::string& word : words) {
    at = text.find(word, at);
    if (at == std::string::npos) return "";
    at += word.size();
  }
  const size_t begin = text.find_first_not_of(" \t", at);
  return text.substr(begin, text.find_first_of(" \t\n", begin) - begin);
}

class LeastPrivilegeTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(udevd_.runs());
    if (const auto why = fake::ZramDevice::unavailable()) GTEST_SKIP() << *why;
    if (most_mebibytes() != 0) {
      memory_.emplace(most_mebibytes() << 20U);
      if (memory_->unavailable()) GTEST_SKIP() << *memory_->unavailable();
    }
    start_kubelet();
  }

  void start_confined(const std::string& config) {
    std::string before = memory_ ? memory_->command() : "";
#ifdef __SANITIZE_ADDRESS__
    // LeakSanitizer needs ptrace(), which is forbidden here.
    before += "export ASAN_OPTIONS=detect_leaks=0; ";
#endif
    const auto run = std::filesystem::path(status_socket()).parent_path();
    std::filesystem::create_directories(run);
    start_daemon_in({"sh", "-c", before + "exec \"$@\"", "sh", confined(),
                     kubelet_directory() + ":" + run.string()},
                    config);
  }
  static std::string confined() {
    return std::filesystem::read_symlink("/proc/self/exe").replace_filename("confined");
  }
  /// A field of the daemon in /proc/PID/status.
  [[nodiscard]] std::string status(const std::string& field) const {
    return word_after("/proc/" + std::to_string(daemon_->pid()) + "/status", {'\n' + field + ':'});
  }
  static size_t most_mebibytes() {
#ifdef __SANITIZE_ADDRESS__
    return 0;  // A sanitizer build needs several times as much.
#else
    const std::string limit =
        word_after("deploy/patchbay.yaml", {"kind: DaemonSet", "limits:", "memory:"});
    EXPECT_TRUE(limit.ends_with("Mi")) << limit;
    return std::stoul(limit);
#endif
  }
  static std::string config(const std::string& env) {
    return "apiVersion: patchbay/v1\nkind: Config\ndefaults: {linger: 0s}\n"
           "resources:\n  - name: example.com/zram\n"
           "    match: {subsystem: block, name: \"zram*\"}\n    id: $(name)\n    envs: {DISKS: " +
           env + "}\n";
  }

  fake::UdevDaemon udevd_;
  std::optional<fake::MemoryCgroup> memory_;
};

TEST_F(LeastPrivilegeTest, RunsWithoutCapabilities) {
  fake::ZramDevice first;
  start_confined(config("$(name)"));
  const auto has = [](const std::string& name) {
    return [name](const Devices& devices) {
      return std::ranges::any_of(
          devices, [&](const auto& device) { return device.id == name && device.healthy; });
    };
  };
  ASSERT_TRUE(kubelet_->wait_for_list(kZram, has(first.name()))) << kubelet_->story();

  EXPECT_EQ(status("CapEff"), "0000000000000000");
  EXPECT_EQ(status("CapBnd"), "0000000000000000");
  EXPECT_EQ(status("NoNewPrivs"), "1");
  EXPECT_EQ(status("Seccomp"), "2");

  // The daemon lists a plugged device.
  auto second = std::make_unique<fake::ZramDevice>();
  const std::string name = second->name();
  ASSERT_TRUE(kubelet_->wait_for_list(kZram, has(name))) << kubelet_->story();
  // The daemon answers Allocate.
  const auto given = kubelet_->allocate(kZram, {name});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->devices(0).host_path(), second->devnode());
  EXPECT_EQ(given->envs().at("DISKS"), name);
  // The daemon applies another configuration.
  dir_.write("config.yaml", config("x-$(name)"));
  EXPECT_TRUE(fake::wait_until([&] {
    const auto answer = kubelet_->allocate(kZram, {name});
    return answer && answer->envs().at("DISKS") == "x-" + name;
  }));
  // The daemon registers with the next kubelet.
  size_t mark = kubelet_->log().size();
  kubelet_->restart();
  ASSERT_TRUE(kubelet_->wait_for_list(kZram, has(name), mark)) << kubelet_->story();
  // The daemon reports an unplugged device.
  mark = kubelet_->log().size();
  ASSERT_TRUE(second->unplug());
  EXPECT_TRUE(kubelet_->wait_for_list(
      kZram, [&](const Devices& devices) { return !has(name)(devices); }, mark));

  // The daemon answers queries of its status.
  EXPECT_TRUE(fake::wait_until(
      [this] { return fake::http_body(status_socket(), "/readyz") == "ready\n"; }));

  const auto end = stop_daemon();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(daemon_->count_lines(R"("level":"warning")"), 0U) << end.err;
}

/// RunsWithoutCapabilities proves something only if a confined process has no other privileges.
TEST_F(LeastPrivilegeTest, ConfinedProcessHasNoOtherPrivileges) {
  const auto exit_code = [&](const std::string& command) {
    return fake::run_command({confined(), kubelet_directory(), "/bin/sh", "-c", command});
  };
  EXPECT_EQ(exit_code("echo > '" + kubelet_directory() + "/file'"), 0);
  EXPECT_NE(exit_code("echo > '" + (dir_ / "file") + "'"), 0);
  EXPECT_NE(exit_code("echo > /dev/shm/file"), 0);
  EXPECT_NE(exit_code("mount -t tmpfs none /mnt"), 0);
  EXPECT_NE(exit_code("unshare --user true"), 0);
  EXPECT_NE(exit_code("mknod '" + kubelet_directory() + "/null' c 1 3"), 0);
  EXPECT_NE(exit_code("ls /sys/class/net/lo/ && ip link set lo up"), 0);
}

/// Checks the rules of src/rules/needs/path_need.cpp against the kernel.
TEST_F(LeastPrivilegeTest, PrivilegesBeyondManifestAreThoseThatKernelRequires) {
  const auto exit_code = [&](const std::string& writable, const std::string& command) {
    return fake::run_command({confined(), writable, "/bin/sh", "-c", command});
  };
  const fake::ZramDevice disk;
  const std::string queue = "/queue/iostats";
  const std::string write_link = "echo 0 > /sys/block/" + disk.name() + queue;
  const std::string write_file = "echo 0 > " + disk.syspath() + queue;
  EXPECT_NE(exit_code(kubelet_directory(), write_file), 0);
  EXPECT_NE(exit_code("/sys/block", write_link), 0);
  EXPECT_EQ(exit_code("/sys/devices", write_link), 0);
  EXPECT_EQ(exit_code("/sys/devices", write_file), 0);

  // Writing an attribute of a network interface also needs a capability.
  const fake::VethPair pair("pbneeds0", "pbneeds1");
  ASSERT_TRUE(pair.made());
  const std::string write_mtu = "echo 1400 > " + pair.syspath() + "/mtu";
  EXPECT_NE(exit_code("/sys/devices", write_mtu), 0);
  EXPECT_EQ(fake::run_command({"/bin/sh", "-c", write_mtu}), 0);

  // A device node on a read-only file system can be written. Only the device cgroup can prevent it.
  EXPECT_EQ(exit_code(kubelet_directory(), "echo > /dev/null"), 0);
  // The process can read files of other processes only if every user may read them.
  EXPECT_EQ(exit_code(kubelet_directory(), "cat /proc/1/mounts > /dev/null"), 0);
  EXPECT_NE(exit_code(kubelet_directory(), "cat /proc/1/environ > /dev/null"), 0);
  // The process is root, so it can read files that only their owner root may read.
  EXPECT_EQ(exit_code(kubelet_directory(), "cat /proc/1/mountinfo /etc/shadow > /dev/null"), 0);
}

}  // namespace
}  // namespace patchbay
