#include "machine/recorder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "host/facts/sysfs_files.h"
#include "loop/executor.h"
#include "machine/device_job.h"
#include "machine/machine_text.h"
#include "paths/glob_walk.h"

namespace patchbay::machine {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;     ///< The kernel's limit.
constexpr int kMostDevLevels = 4;  ///< Directories below /dev.

/// Terminals of sessions, which come and go, and links by number, which /sys has, too.
constexpr std::string_view kSkippedInDev = "/dev/block /dev/char /dev/pts";

/// The directories of the devices, and all above them, except those that the kernel makes for a
/// class between two devices, such as "net".
std::set<std::string> directories_of_devices(const host::DeviceTree& tree) {
  std::set<std::string> directories;
  for (std::string path : host::list_kernel_devices(tree, {"*"})) {
    while (tree.contains(path) && directories.insert(path).second) {
      const auto subsystem = host::link_name(tree.files, path + "/subsystem");
      path.resize(path.rfind('/'));
      if (base_name(path) == subsystem) path.resize(path.rfind('/'));
    }
  }
  return directories;
}

std::optional<HostFile> host_file(const paths::HostRoot& root, const std::string& path) {
  const auto status = root.link_status(path);
  if (!status) return std::nullopt;
  HostFile file;
  if (S_ISLNK(status->st_mode)) {
    file.kind = HostFile::Kind::link;
    file.content = root.link_target(path).value_or("");
  } else if (S_ISDIR(status->st_mode)) {
    file.kind = HostFile::Kind::directory;
  } else if (S_ISSOCK(status->st_mode)) {
    file.kind = HostFile::Kind::socket;
  } else if (const auto number = device_number_of(status->st_mode, status->st_rdev)) {
    if (!path.starts_with("/dev/")) return std::nullopt;
    file.kind = HostFile::Kind::node;
    file.number = number;
  } else if (S_ISREG(status->st_mode) && (status->st_mode & S_IXUSR) != 0) {
    file.kind = HostFile::Kind::program;
  }
  return file;
}

/// Adds the path, and every link that it leads to, unless a device makes it.
void add_path(const paths::HostRoot& root, std::string path, const std::set<std::string>& made,
              Machine& machine) {
  for (int links = 0; links <= kMostLinks; ++links) {
    if (made.contains(path) || path.starts_with("/sys/") || !is_writable(path)) return;
    auto file = host_file(root, path);
    if (!file || !is_text(file->content)) return;
    const std::string target = file->kind == HostFile::Kind::link ? file->content : "";
    if (!machine.files.emplace(path, *std::move(file)).second || target.empty()) return;
    path = fs::path(path).parent_path() / target;
    path = fs::path(path).lexically_normal();
  }
}

/// The nodes and links of devices, which readers make.
std::set<std::string> made_paths(const Machine& machine) {
  std::set<std::string> paths;
  for (const auto& [path, device] : machine.devices) {
    if (!device.node.empty()) paths.insert("/dev/" + device.node);
    for (const std::string& link : device.devlinks) paths.insert("/dev/" + link);
  }
  return paths;
}

void add_dev(const paths::HostRoot& root, const std::string& directory, int level,
             const std::set<std::string>& made, Machine& machine) {
  auto names = root.names_in(directory);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = directory + '/' + name;
    const auto status = root.link_status(path);
    if (!status || made.contains(path)) continue;
    if (S_ISDIR(status->st_mode) && level < kMostDevLevels && !contains_word(kSkippedInDev, path)) {
      add_dev(root, path, level + 1, made, machine);
    } else if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode)) {
      add_path(root, path, made, machine);
    } else if (S_ISLNK(status->st_mode)) {
      // Links to /proc lead to files of this process.
      const auto target = root.link_target(path);
      if (!target || target->starts_with("/proc/")) continue;
      const auto resolved = root.resolve(path);
      const auto node = resolved ? root.link_status(*resolved) : std::nullopt;
      if (node && (S_ISCHR(node->st_mode) || S_ISBLK(node->st_mode))) {
        add_path(root, path, made, machine);
      }
    }
  }
}

void add_content(const std::string& path, std::string content, Machine& machine) {
  if (!path.starts_with('/') || !is_writable(path) || !is_text(content)) return;
  machine.files.insert_or_assign(
      path, HostFile{.kind = HostFile::Kind::file, .content = std::move(content), .number = {}});
}

}  // namespace

Recording record_devices(const host::DeviceTree& tree) {
  Recording recording;
  loop::Executor executor;
  for (const std::string& directory : directories_of_devices(tree)) {
    if (!is_line(directory)) {
      recording.left_out.push_back(directory + " has a name with control characters");
      continue;
    }
    const auto job = std::make_shared<DeviceJob>(tree, directory);
    loop::Task work = [job] { job->run(); };
    if (!executor.start(work)) {
      recording.left_out.push_back(directory + " does not answer");
    } else if (!job->wait()) {
      recording.left_out.push_back(job->current() + " does not answer");
    }
    Device device = job->device();
    recording.machine.devices.emplace(device.path, std::move(device));
  }
  const std::string nodes = tree.top + "/system/node/online";
  if (auto online = tree.files.read_file(nodes)) {
    add_content(nodes, *std::move(online), recording.machine);
  }
  add_dev(tree.files, "/dev", 1, made_paths(recording.machine), recording.machine);
  return recording;
}

void add_host_paths(const std::set<std::string>& paths, const paths::HostRoot& root,
                    Machine& machine) {
  const std::set<std::string> made = made_paths(machine);
  for (const std::string& path : paths) add_path(root, path, made, machine);
}

void add_file_content(const std::string& path, const paths::HostRoot& root, Machine& machine) {
  if (auto content = root.read_file(path)) add_content(path, *std::move(content), machine);
}

void add_attributes(const DeviceFacts& device, const std::string& name,
                    const host::DeviceTree& tree, Machine& machine) {
  const std::string syspath(device.syspath());
  if (!tree.contains(syspath)) return;
  for (const std::string& path :
       paths::walk_glob(tree.files, paths::escape_glob(syspath) + '/' + name).paths) {
    const auto content = tree.files.read_attribute(path);
    const std::string_view value = content ? trim_end(*content) : std::string_view();
    if (value.empty() || !is_text(value) || !is_writable(path)) continue;
    if (is_secret(base_name(path))) continue;
    // The path may lead through links to another device.
    const auto file = tree.files.resolve(path);
    if (!file || !tree.contains(*file)) continue;
    std::string directory = file->substr(tree.sysfs.size());
    auto owner = machine.devices.end();
    while (owner == machine.devices.end() && directory.contains('/')) {
      directory.resize(directory.rfind('/'));
      owner = machine.devices.find(directory);
    }
    if (owner == machine.devices.end()) continue;
    owner->second.attributes.emplace(file->substr(tree.sysfs.size() + owner->first.size() + 1),
                                     value);
  }
}

void add_entities(const std::vector<DeviceFactsPtr>& entities, const host::DeviceTree& tree,
                  Machine& machine) {
  const std::set<std::string> made = made_paths(machine);
  for (const DeviceFactsPtr& facts : entities) {
    if (facts->kind == DeviceKind::path) add_path(tree.files, facts->key, made, machine);
    for (const FactValue& value : facts->known.list()) {
      if (value.fact == Fact::file) add_content(value.argument, value.value, machine);
      if (value.fact == Fact::attribute) add_attributes(*facts, value.argument, tree, machine);
    }
  }
}

void add_node_facts(const NodeFacts& facts, const paths::HostRoot& root, Machine& machine) {
  for (const auto& [path, content] : facts.files) add_content(path, content, machine);
  const std::set<std::string> made = made_paths(machine);
  for (const std::string& pattern : facts.globs) {
    for (const std::string& path : paths::walk_glob(root, pattern).paths) {
      add_path(root, path, made, machine);
    }
  }
}

}  // namespace patchbay::machine
