#include "host/facts/sysfs_files.h"

#include <algorithm>

#include "base/text.h"
#include "base/whole_number.h"
#include "host/facts/uevent_fields.h"
#include "paths/glob_walk.h"

namespace patchbay::host {
namespace {

std::optional<std::string> present(std::string_view value) {
  const std::string_view trimmed = trim_end(value);
  if (trimmed.empty()) return std::nullopt;
  return std::string(trimmed);
}

bool stays_below(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos)
    return false;
  const auto parts = split(path, '/');
  return std::ranges::find(parts, "..") == parts.end();
}

/// The value of `file`, which may be a link.
std::optional<std::string> value_at(const paths::HostRoot& files, const std::string& file) {
  if (auto name = link_name(files, file)) return present(*name);
  const auto content = files.read_attribute(file);
  return content ? present(*content) : std::nullopt;
}

/// A subsystem is a bus or a class: …/bus/pci, …/class/net.
bool is_on_bus(const paths::HostRoot& files, const std::string& syspath) {
  const auto subsystem = files.link_target(syspath + "/subsystem");
  if (!subsystem || subsystem->rfind('/') == std::string::npos) return false;
  return base_name(std::string_view(*subsystem).substr(0, subsystem->rfind('/'))) == "bus";
}

}  // namespace

std::optional<std::string> read_attribute(const paths::HostRoot& files,
                                          const std::string& directory, const std::string& path) {
  if (!stays_below(path)) return std::nullopt;
  return value_at(files, directory + '/' + path);
}

std::string attribute_text(const paths::HostRoot& files, std::string_view directory,
                           const std::string& path) {
  return read_attribute(files, std::string(directory), path).value_or("");
}

std::vector<std::string> read_attributes(const paths::HostRoot& files, const std::string& directory,
                                         const std::string& path) {
  if (!stays_below(path)) return {};
  std::vector<std::string> found{directory + '/' + path};
  if (paths::has_wildcard(path))
    found = paths::walk_glob(files, paths::escape_glob(directory) + '/' + path).paths;
  std::ranges::sort(found, natural_less);
  std::vector<std::string> values;
  for (const std::string& file : found) {
    if (auto value = value_at(files, file)) values.push_back(*std::move(value));
  }
  return values;
}

std::vector<std::string> sorted_names(const paths::HostRoot& files, const std::string& directory) {
  auto names = files.names_in(directory);
  std::ranges::sort(names, natural_less);
  return names;
}

std::optional<std::string> link_name(const paths::HostRoot& files, const std::string& path) {
  const auto target = files.link_target(path);
  if (!target) return std::nullopt;
  return std::string(base_name(*target));
}

std::string driver_of(const paths::HostRoot& files, std::string_view syspath,
                      std::string_view top) {
  if (is_on_bus(files, std::string(syspath))) {
    return link_name(files, std::string(syspath) + "/driver").value_or("");
  }
  while (syspath.size() > top.size() && syspath.starts_with(top)) {
    if (auto name = link_name(files, std::string(syspath) + "/driver")) return *std::move(name);
    syspath = syspath.substr(0, syspath.rfind('/'));
  }
  return {};
}

std::optional<UeventFile> read_uevent_file(const paths::HostRoot& files,
                                           const std::string& syspath) {
  const auto content = files.read_attribute(syspath + "/uevent");
  if (!content) return std::nullopt;
  UeventFile result;
  std::string_view major;
  std::string_view minor;
  for (const std::string_view line : split(*content, '\n')) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string_view value = trim_end(line.substr(equals + 1));
    if (name == "DEVTYPE") result.devtype = value;
    if (name == "DEVNAME") result.devnode = devnode_of(value);
    if (name == "MAJOR") major = value;
    if (name == "MINOR") minor = value;
    if (name == "IFINDEX") result.ifindex = parse_whole<uint32_t>(value);
  }
  result.number = number_of(major, minor);
  return result;
}

}  // namespace patchbay::host
