// Runs a program without any privilege, as a container runtime does, to test what the program can
// do. As root:
//
//   confined WRITABLE-DIRECTORY[:WRITABLE-DIRECTORY...] PROGRAM [ARGUMENT...]
//
// The program has its own mount and network namespaces, and all other directories are read-only. It
// has no capability, cannot gain one, and its system calls are filtered.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

void must(bool succeeded, const char* what) {
  if (succeeded) return;
  std::perror(what);
  std::exit(126);
}

/// Makes all mounts read-only, except these directories.
void make_read_only(const std::vector<std::string>& writable) {
  must(unshare(CLONE_NEWNS | CLONE_NEWNET) == 0, "unshare");
  must(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "private mounts");
  for (const std::string& directory : writable) {
    must(mount(directory.c_str(), directory.c_str(), nullptr, MS_BIND, nullptr) == 0, "bind");
  }
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  must(syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) == 0,
       "read-only mounts");
  mount_attr read_write{};
  read_write.attr_clr = MOUNT_ATTR_RDONLY;
  for (const std::string& directory : writable) {
    must(syscall(SYS_mount_setattr, AT_FDCWD, directory.c_str(), 0, &read_write,
                 sizeof read_write) == 0,
         "a writable mount");
  }
}

void drop_all_capabilities() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    must(prctl(PR_CAPBSET_DROP, capability) == 0, "bounding set");
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  must(syscall(SYS_capset, &header, none.data()) == 0, "capset");
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
}

/// System calls that the default profiles of container runtimes forbid without capabilities.
constexpr std::array kForbidden = {
    SYS_acct,
    SYS_add_key,
    SYS_bpf,
    SYS_chroot,
    SYS_clock_adjtime,
    SYS_clock_settime,
    SYS_delete_module,
    SYS_fanotify_init,
    SYS_finit_module,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fsopen,
    SYS_fspick,
    SYS_init_module,
    SYS_io_uring_enter,
    SYS_io_uring_setup,
    SYS_io_uring_register,
    SYS_kcmp,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_keyctl,
    SYS_lookup_dcookie,
    SYS_mbind,
    SYS_migrate_pages,
    SYS_mount,
    SYS_mount_setattr,
    SYS_move_mount,
    SYS_move_pages,
    SYS_nfsservctl,
    SYS_open_by_handle_at,
    SYS_open_tree,
    SYS_perf_event_open,
    SYS_pivot_root,
    SYS_process_madvise,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_ptrace,
    SYS_quotactl,
    SYS_reboot,
    SYS_request_key,
    SYS_set_mempolicy,
    SYS_setdomainname,
    SYS_sethostname,
    SYS_setns,
    SYS_settimeofday,
    SYS_swapoff,
    SYS_swapon,
    SYS_syslog,
    SYS_umount2,
    SYS_unshare,
    SYS_userfaultfd,
    SYS_vhangup,
};

sock_filter statement(unsigned code, unsigned value) {
  return {.code = static_cast<__u16>(code), .jt = 0, .jf = 0, .k = value};
}

/// A jump that skips the next statement unless the loaded value is equal.
sock_filter unless_equal(unsigned value) {
  return {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = 1, .k = value};
}

void filter_system_calls() {
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
  // A filter cannot read the flags of clone3(). ENOSYS makes callers use clone(), as in the
  // runtimes' profiles.
  constexpr unsigned kUnknown = SECCOMP_RET_ERRNO | ENOSYS;
  std::vector<sock_filter> program = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      unless_equal(SYS_clone3),
      statement(BPF_RET | BPF_K, kUnknown),
  };
  for (const long call : kForbidden) {
    program.push_back(unless_equal(static_cast<unsigned>(call)));
    program.push_back(statement(BPF_RET | BPF_K, kRefuse));
  }
  // Forbids clone() with flags for new namespaces.
  constexpr unsigned kNamespaces = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                   CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;
  constexpr unsigned kRest = 3;
  program.push_back({.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = kRest, .k = SYS_clone});
  program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)));
  program.push_back({.code = BPF_JMP | BPF_JSET | BPF_K, .jt = 0, .jf = 1, .k = kNamespaces});
  program.push_back(statement(BPF_RET | BPF_K, kRefuse));
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()),
                          .filter = program.data()};
  must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0, "seccomp");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: confined WRITABLE-DIRECTORY PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  std::vector<std::string> writable;
  std::istringstream list(argv[1]);
  for (std::string directory; std::getline(list, directory, ':');) writable.push_back(directory);
  make_read_only(writable);
  drop_all_capabilities();
  filter_system_calls();
  execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 127;
}
