#pragma once

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "fake/temp_dir.h"

namespace patchbay::fake {

/// A control group with one forbidden device, as a container runtime makes for an unprivileged
/// container. Active for the lifetime of this object or until allow(). Also works beside control
/// groups of version 1, because the kernel applies both. Requires root.
class DeviceCgroup {
 public:
  explicit DeviceCgroup(const std::string& devnode) {
    why_ = set_up(devnode);
    if (why_) why_ = *why_ + ": " + std::strerror(errno) + " (it takes root, cgroup2 and bpf)";
  }
  DeviceCgroup(const DeviceCgroup&) = delete;
  DeviceCgroup& operator=(const DeviceCgroup&) = delete;
  ~DeviceCgroup() {
    // Fails if the kernel still counts an ended process, because a group with processes cannot be
    // removed.
    ::rmdir(group_.c_str());
    if (mounted_) ::umount2(dir_.path().c_str(), MNT_DETACH);
  }

  /// Why this machine cannot create the group, as a reason to skip a test.
  [[nodiscard]] const std::optional<std::string>& unavailable() const { return why_; }

  /// A command that starts the program after it in the group.
  [[nodiscard]] std::vector<std::string> prefix() const {
    return {"/bin/sh", "-c", "echo 0 > '" + group_ + R"(/cgroup.procs' && exec "$0" "$@")"};
  }
  /// Allows the processes of the group to open the device. Returns whether that worked.
  [[nodiscard]] bool allow() { return attach(BPF_PROG_DETACH); }

 private:
  [[nodiscard]] std::optional<std::string> set_up(const std::string& devnode) {
    struct stat status {};
    if (::stat(devnode.c_str(), &status) != 0) return "no " + devnode;
    // Mounts the hierarchy, because the machine's own mount can be anywhere or missing.
    mounted_ = ::mount("patchbay", dir_.path().c_str(), "cgroup2", 0, nullptr) == 0;
    if (!mounted_) return "no control groups to mount here";
    group_ = dir_ / ("patchbay-test-" + std::to_string(::getpid()));
    if (::mkdir(group_.c_str(), 0755) != 0) return "no control group to make here";
    program_ = load(::gnu_dev_major(status.st_rdev), ::gnu_dev_minor(status.st_rdev));
    if (!program_) return "no device program to load here";
    if (!attach(BPF_PROG_ATTACH)) return "no device program to attach here";
    return std::nullopt;
  }

  static long bpf(bpf_cmd command, bpf_attr& attributes) {
    return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
  }

  /// Returns 0 (denied) for this device, and 1 for all others.
  static UniqueFd load(unsigned device_major, unsigned device_minor) {
    constexpr uint8_t kLoad = BPF_LDX | BPF_MEM | BPF_W;
    constexpr uint8_t kUnequal = BPF_JMP | BPF_JNE | BPF_K;
    constexpr uint8_t kSet = BPF_ALU64 | BPF_MOV | BPF_K;
    constexpr uint8_t kReturn = BPF_JMP | BPF_EXIT;
    const auto number = [](unsigned value) { return static_cast<int32_t>(value); };
    const std::array<bpf_insn, 8> program{{
        {kLoad, BPF_REG_2, BPF_REG_1, offsetof(bpf_cgroup_dev_ctx, major), 0},
        {kUnequal, BPF_REG_2, 0, 4, number(device_major)},
        {kLoad, BPF_REG_2, BPF_REG_1, offsetof(bpf_cgroup_dev_ctx, minor), 0},
        {kUnequal, BPF_REG_2, 0, 2, number(device_minor)},
        {kSet, BPF_REG_0, 0, 0, 0},
        {kReturn, 0, 0, 0, 0},
        {kSet, BPF_REG_0, 0, 0, 1},
        {kReturn, 0, 0, 0, 0},
    }};
    bpf_attr attributes{};
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attributes.insn_cnt = program.size();
    attributes.insns = reinterpret_cast<uintptr_t>(program.data());
    attributes.license = reinterpret_cast<uintptr_t>("GPL");
    return UniqueFd(static_cast<int>(bpf(BPF_PROG_LOAD, attributes)));
  }

  [[nodiscard]] bool attach(bpf_cmd attach_or_detach) const {
    const UniqueFd group(::open(group_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!group) return false;
    bpf_attr attributes{};
    attributes.target_fd = static_cast<uint32_t>(group.get());
    attributes.attach_bpf_fd = static_cast<uint32_t>(program_.get());
    attributes.attach_type = BPF_CGROUP_DEVICE;
    return bpf(attach_or_detach, attributes) == 0;
  }

  TempDir dir_;
  std::string group_;
  UniqueFd program_;
  bool mounted_ = false;
  std::optional<std::string> why_;
};

}  // namespace patchbay::fake
