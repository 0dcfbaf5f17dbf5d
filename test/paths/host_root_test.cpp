#include "paths/host_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::paths {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

/// Forbids openat2() to this thread for ever, as in a sandbox.
void refuse_openat2() {
  std::array<sock_filter, 4> program{
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/// For a host root that is a directory. Each test runs with openat2() and without it.
class HostRootTest : public testing::TestWithParam<bool> {
 protected:
  void link(const std::string& from, const std::string& target) const {
    const fs::path path = dir / from;
    fs::create_directories(path.parent_path());
    fs::create_symlink(target, path);
  }
  static void with_and_without_openat2(const std::function<void()>& test) {
    if (GetParam()) return test();
    std::thread([&] {
      refuse_openat2();
      test();
    }).join();
  }
  [[nodiscard]] std::string content(const std::string& path) const {
    return host.read_file(path).value_or("none");
  }
  [[nodiscard]] std::string resolved(const std::string& path) const {
    return host.resolve(path).value_or("nowhere");
  }

  fake::TempDir dir;
  HostRoot host{dir.path()};
};

TEST_P(HostRootTest, FollowsLinksBelowTheRoot) {
  dir.write("dev/ttyUSB3", "gopher");
  link("dev/serial/by-id/scope", "../../ttyUSB3");
  link("dev/uart", "/dev/serial/by-id/scope");
  link("lab", "/dev/serial");
  with_and_without_openat2([&] {
    for (const char* path :
         {"/dev/ttyUSB3", "/dev/serial/by-id/scope", "/dev/uart", "/lab/by-id/scope"}) {
      EXPECT_EQ(content(path), "gopher") << path;
      EXPECT_EQ(resolved(path), "/dev/ttyUSB3");
      EXPECT_TRUE(host.status(path) && S_ISREG(host.status(path)->st_mode)) << path;
    }
    EXPECT_TRUE(S_ISLNK(host.link_status("/lab/by-id/scope")->st_mode));
    EXPECT_TRUE(S_ISREG(host.link_status("/dev/ttyUSB3")->st_mode));
    EXPECT_THAT(host.names_in("/lab/by-id"), UnorderedElementsAre("scope"));
    EXPECT_EQ(resolved("/"), "/");
    EXPECT_TRUE(host.exists("/"));
  });
}

TEST_P(HostRootTest, NoPathLeavesTheRoot) {
  const fake::TempDir other;
  other.write("secret", "theirs");
  dir.write("dev/null", "ours");
  link("dev/up", "../../../../../dev/null");
  link("out", other / "secret");
  link("way/out", other.path());
  with_and_without_openat2([&] {
    EXPECT_EQ(content("/dev/up"), "ours");
    EXPECT_EQ(resolved("/dev/up"), "/dev/null");
    EXPECT_EQ(content("/../../dev/null"), "ours");
    EXPECT_EQ(content("/out"), "none");
    EXPECT_EQ(content("/way/out/secret"), "none");
    EXPECT_FALSE(host.exists("/way/out"));
    EXPECT_THAT(host.names_in("/way/out"), IsEmpty());
  });
}

TEST_P(HostRootTest, MagicLinksOfProcAreNotFollowed) {
  const HostRoot proc("/proc/self");
  with_and_without_openat2([&] {
    EXPECT_FALSE(proc.exists("/root/etc"));
    EXPECT_FALSE(proc.exists("/fd/0/x"));
    EXPECT_TRUE(proc.exists("/comm"));
  });
}

TEST_P(HostRootTest, ResolvesNoMissingOrCircularPath) {
  dir.write("file", "");
  link("gone", "ttyUSB9");
  link("a", "b");
  link("b", "a");
  with_and_without_openat2([&] {
    for (const auto& [path, why] : {std::pair{"/gone", ENOENT},
                                    {"/a", ELOOP},
                                    {"/b", ELOOP},
                                    {"/missing/x", ENOENT},
                                    {"/file/x", ENOTDIR}}) {
      EXPECT_EQ(resolved(path), "nowhere") << path;
      EXPECT_FALSE(host.status(path)) << path;
      EXPECT_EQ(errno, why) << path;
      EXPECT_FALSE(host.open(path, O_RDONLY)) << path;
    }
    EXPECT_TRUE(host.link_status("/gone"));
  });
}

TEST_P(HostRootTest, ReadsSysOutsideTheRoot) {
  dir.write("sys/kernel/ostype", "");
  dir.write("system", "gopher");
  with_and_without_openat2([&] {
    EXPECT_TRUE(host.exists("/sys/kernel"));
    EXPECT_FALSE(host.exists("/sys/kernel/ostype"));
    EXPECT_EQ(host.local_path("/sys/kernel"), "/sys/kernel");
    EXPECT_EQ(content("/system"), "gopher");
    EXPECT_EQ(host.local_path("/system"), dir / "system");
  });
}

INSTANTIATE_TEST_SUITE_P(ByOpenat2, HostRootTest, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(StepByStep, HostRootTest, testing::Values(false));

class HostFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const {
    return HostRoot().read_file(dir / name);
  }
  fake::TempDir dir;
};

TEST_F(HostFileTest, TrimsTheContent) {
  dir.write("release", "line one\nline two \n\n");
  dir.write("binary", std::string("gopher\0\0", 8));
  EXPECT_EQ(read("release"), "line one\nline two");
  EXPECT_EQ(read("binary"), "gopher");
}

TEST_F(HostFileTest, EmptyFileIsReadAsEmptyText) {
  dir.write("empty", "");
  dir.write("blank", " \n");
  EXPECT_EQ(read("missing"), std::nullopt);
  EXPECT_EQ(read("empty"), "");
  EXPECT_EQ(read("blank"), "");
}

/// If the file counted as empty, a condition with `not` would match an empty list of mounts.
TEST_F(HostFileTest, EmptyFileBelowProcIsAbsent) {
  dir.write("proc/1/mounts", "");
  dir.write("proc/swaps", "Filename\n");
  const HostRoot host(dir.path());
  EXPECT_EQ(host.read_file("/proc/1/mounts"), std::nullopt);
  EXPECT_EQ(host.read_file("/proc/swaps"), "Filename");
}

TEST_F(HostFileTest, ReadsProcFilesToTheEnd) {
  const auto status = HostRoot().read_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_THAT(*status, HasSubstr("nonvoluntary_ctxt_switches"));
}

TEST_F(HostFileTest, RejectsLongFiles) {
  dir.write("most", std::string(HostRoot::kMostFileBytes, 'g'));
  dir.write("more", std::string(HostRoot::kMostFileBytes + 1, 'g'));
  EXPECT_EQ(read("most"), std::string(HostRoot::kMostFileBytes, 'g'));
  EXPECT_EQ(read("more"), std::nullopt) << "a part of it could meet a condition that it does not";
}

TEST_F(HostFileTest, ReadsRegularFilesOnly) {
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  fs::create_directory(dir / "directory");
  fs::create_symlink("/dev/zero", dir / "device");
  EXPECT_EQ(read("fifo"), std::nullopt);
  EXPECT_EQ(read("directory"), std::nullopt);
  EXPECT_EQ(read("device"), std::nullopt);
}

}  // namespace
}  // namespace patchbay::paths
