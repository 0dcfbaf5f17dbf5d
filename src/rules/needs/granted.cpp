#include "rules/needs/granted.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace patchbay::rules {
namespace {

constexpr std::array kGrantedMounts{
    GrantedMount{"/dev"},
    GrantedMount{"/etc/patchbay"},
    GrantedMount{"/run/patchbay", true},
    GrantedMount{"/run/udev"},
    GrantedMount{"/sys"},
    GrantedMount{"/var/lib/kubelet/device-plugins", true},
    GrantedMount{"/var/lib/kubelet/pod-resources", false},
};

constexpr std::array<std::string_view, 2> kGrantedVariables{"NODE_NAME", "POD_IP"};

constexpr std::array<std::string_view, 40> kGrantedPrograms{
    "awk",    "bash",  "cat",     "chmod",   "cp",   "cut",  "date",  "dd",    "echo",  "env",
    "expr",   "false", "find",    "findmnt", "grep", "head", "ln",    "ls",    "lsblk", "mkdir",
    "mktemp", "mv",    "perl",    "printf",  "rm",   "sed",  "sh",    "sleep", "sort",  "stat",
    "tail",   "test",  "timeout", "touch",   "tr",   "true", "uname", "uniq",  "wc",    "xargs"};

constexpr std::array<std::string_view, 4> kProgramDirectories{"/bin", "/sbin", "/usr/bin",
                                                              "/usr/sbin"};

}  // namespace

std::span<const GrantedMount> granted_mounts() { return kGrantedMounts; }

std::span<const std::string_view> granted_variables() { return kGrantedVariables; }

bool is_granted_variable(std::string_view name) {
  return name == "PATH" || name == "HOSTNAME" || name == "HOME" ||
         name.starts_with("KUBERNETES_") ||
         std::ranges::find(kGrantedVariables, name) != kGrantedVariables.end();
}

std::span<const std::string_view> granted_programs() { return kGrantedPrograms; }

bool is_granted_program(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::string_view directory = path.substr(0, path.size() - name.size() - 1);
  return path == "/usr/local/bin/patchbay" ||
         (std::ranges::find(kProgramDirectories, directory) != kProgramDirectories.end() &&
          std::ranges::find(kGrantedPrograms, name) != kGrantedPrograms.end());
}

bool is_within(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace patchbay::rules
