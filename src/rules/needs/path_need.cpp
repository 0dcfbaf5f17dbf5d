#include "rules/needs/path_need.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/needs/granted.h"

namespace patchbay::rules {
namespace {

/// Directories of the image itself, where nothing can be mounted.
constexpr std::array<std::string_view, 15> kOfImage{
    "/",          "/bin",       "/etc",           "/lib",      "/lib64",
    "/proc",      "/sbin",      "/usr",           "/usr/bin",  "/usr/lib",
    "/usr/lib64", "/usr/local", "/usr/local/bin", "/usr/sbin", "/usr/share"};

/// Directories with too much other content to be mounted for one path.
constexpr std::array<std::string_view, 12> kWide{"/boot", "/home", "/host", "/media",
                                                 "/mnt",  "/opt",  "/root", "/run",
                                                 "/srv",  "/tmp",  "/var",  "/var/lib"};

/// Paths that container runtimes hide in containers that are not privileged.
constexpr std::array<std::string_view, 13> kMasked{
    "/proc/acpi",   "/proc/asound",     "/proc/device-tree",   "/proc/interrupts",
    "/proc/kcore",  "/proc/keys",       "/proc/latency_stats", "/proc/sched_debug",
    "/proc/scsi",   "/proc/timer_list", "/sys/class/powercap", "/sys/devices/virtual/powercap",
    "/sys/firmware"};

/// Paths that container runtimes make read-only in such containers.
constexpr std::array<std::string_view, 5> kReadOnly{"/proc/bus", "/proc/fs", "/proc/irq",
                                                    "/proc/sys", "/proc/sysrq-trigger"};

constexpr std::array<std::string_view, 3> kOfNetwork{"/proc/net", "/proc/self/net",
                                                     "/proc/sys/net"};
constexpr std::array<std::string_view, 4> kOwnMounts{"/proc/mounts", "/proc/self/mountinfo",
                                                     "/proc/self/mounts", "/proc/self/mountstats"};

/// The first of the directories that contains the path. Empty if there is none.
std::string_view enclosing_directory(std::span<const std::string_view> directories,
                                     std::string_view path) {
  const auto found = std::ranges::find_if(
      directories, [&](std::string_view directory) { return is_within(path, directory); });
  return found == directories.end() ? std::string_view() : *found;
}

bool is_listed(std::span<const std::string_view> directories, std::string_view path) {
  return std::ranges::find(directories, path) != directories.end();
}

std::string directory_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

/// The directory to mount so that the path's creation, removal and replacement are visible. Empty
/// if there is none.
std::string mount_for(const KnownPath& path) {
  if (!path.complete) return is_listed(kOfImage, path.path) ? "" : path.path;
  std::string parent = directory_of(path.path);
  if (!is_listed(kOfImage, parent) && !is_listed(kWide, parent)) return parent;
  return is_listed(kOfImage, path.path) ? "" : path.path;
}

Need mount_need(Need::Kind kind, const KnownPath& path) {
  Need need{.kind = kind, .path = path.path, .grant = mount_for(path)};
  if (need.grant.empty()) {
    need.hint = fmt::format("the image has its own {}: mount the host's files in another directory",
                            path.path);
  }
  return need;
}

std::optional<Need> need_of_proc(std::string_view path) {
  if (!enclosing_directory(kOfNetwork, path).empty()) return Need{.kind = Need::Kind::host_network};
  if (is_listed(kOwnMounts, path)) {
    return Need{.kind = Need::Kind::hidden,
                .hint = "it lists the mounts of the Pod; for the host write /proc/1/mounts"};
  }
  if (is_within(path, "/proc/1")) return Need{.kind = Need::Kind::host_pid};
  return std::nullopt;
}

/// The directory of the file behind a path in /sys: entries of classes and buses are links.
std::string sysfs_directory(const KnownPath& path) {
  constexpr std::string_view kDevices = "/sys/devices";
  const std::vector<std::string_view> components = split(path.path, '/');
  const std::string_view top = components.size() > 2 ? components[2] : "";
  // The components of "/sys/class/NAME/FILE" are "", "sys", "class", and so on.
  const bool below_entry = components.size() > 5 || !path.complete;
  if (top == "block" || top == "dev" || (top == "class" && below_entry)) {
    return std::string(kDevices);
  }
  if (top == "bus" && components.size() > 4 && components[4] == "devices")
    return std::string(kDevices);
  return path.complete ? directory_of(path.path) : path.path;
}

/// Whether the program itself, or the first line of the file, is a shell.
bool needs_shell(std::string_view program) {
  constexpr std::array<std::string_view, 7> kShells{"sh",  "ash", "bash",   "dash",
                                                    "ksh", "zsh", "busybox"};
  return is_listed(kShells, base_name(program)) || program.ends_with(".sh");
}

}  // namespace

KnownPath known_path_of_pattern(std::string_view pattern) {
  const size_t wildcard = pattern.find_first_of("*?[\\");
  if (wildcard == std::string_view::npos) return {std::string(pattern), true};
  return {directory_of(pattern.substr(0, wildcard)), false};
}

std::optional<KnownPath> known_path(const Template& text) {
  const std::string& written = text.text();
  const size_t variable = written.find("$(");
  if (variable == std::string::npos) return KnownPath{written, true};
  if (variable != 0) return KnownPath{directory_of(written.substr(0, variable)), false};
  const VariableRef& first = *text.uses().front().variable;
  if (first.is(Fact::devnode) || first.is(Fact::link)) return KnownPath{"/dev", false};
  if (first.is(Fact::syspath)) return KnownPath{"/sys/devices", false};
  return std::nullopt;
}

std::optional<Need> need_to_read(const KnownPath& path) {
  if (const std::string_view masked = enclosing_directory(kMasked, path.path); !masked.empty()) {
    const std::string_view there =
        masked == "/proc/device-tree" ? "/sys/firmware/devicetree/base" : masked;
    return Need{
        .kind = Need::Kind::hidden,
        .path = path.path,
        .hint = fmt::format("mount the host's {} as /host{}, and write that path", there, there)};
  }
  if (is_within(path.path, "/proc")) return need_of_proc(path.path);
  return mount_need(Need::Kind::mount, path);
}

std::optional<Need> need_to_write(const KnownPath& path) {
  if (is_within(path.path, "/dev") || !enclosing_directory(kReadOnly, path.path).empty()) {
    return Need{.kind = Need::Kind::privileged};
  }
  if (is_within(path.path, "/proc")) return need_to_read(path);
  if (is_within(path.path, "/sys")) {
    return Need{.kind = Need::Kind::writable, .path = path.path, .grant = sysfs_directory(path)};
  }
  return mount_need(Need::Kind::writable, path);
}

Need need_to_run(const std::string& program) {
  Need need{.kind = Need::Kind::program, .path = program, .grant = directory_of(program)};
  if (is_listed(kOfImage, need.grant)) need.grant.clear();
  if (needs_shell(program)) {
    need.hint = "it needs a shell, which the image lacks: use its debug variant, or your own image";
  }
  return need;
}

}  // namespace patchbay::rules
