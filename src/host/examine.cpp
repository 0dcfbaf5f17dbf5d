#include "host/examine.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/facts/device_list.h"
#include "host/facts/fact_reader.h"
#include "host/facts/sysfs_files.h"
#include "host/sysfs_source.h"
#include "paths/glob_pattern.h"

namespace patchbay::host {
namespace {

constexpr const char* kMayBeNamed =
    "name a device node, a path below /sys, another path, or static:NAME";

using Status = paths::HostRoot::Status;

std::unexpected<Error> missing_error(const paths::HostRoot& root, const std::string& path) {
  const int why = root.exists(path) ? ENOENT : errno;
  return fail(fail_errno(printable(root.local_path(path)), why).error().message + "; " +
              kMayBeNamed);
}

bool is_device(const Status& status) { return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode); }

/// Two nodes with one number are one device.
bool same(const Status& a, const Status& b) {
  if (is_device(a) && is_device(b)) {
    return S_ISBLK(a.st_mode) == S_ISBLK(b.st_mode) && a.st_rdev == b.st_rdev;
  }
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Removes "." and repeated slashes, as a pattern is written. Keeps "..", which may follow a link.
std::string tidy(std::string_view path) {
  std::string tidied;
  for (const std::string_view prefix : split(path, '/')) {
    if (!prefix.empty() && prefix != ".") tidied.append("/").append(prefix);
  }
  return tidied.empty() ? "/" : tidied;
}

class Examination {
 public:
  Examination(const HostQueryPtr& query, paths::HostRoot root, const std::string& sysfs)
      : query_(query), root_(std::move(root)), tree_(root_, sysfs), reader_(query, root_, sysfs) {
    for (const std::string& pattern : query->glob_patterns) globs_.emplace_back(pattern, root_);
  }

  Result<std::vector<DeviceFactsPtr>> run(const std::string& what) {
    const std::string prefix = static_key("");
    if (what.starts_with(prefix) && what.size() > prefix.size()) {
      read({.key = what});
      return std::move(found_);
    }
    if (!what.starts_with('/')) {
      return fail("'" + printable(what) + "' is not an absolute path: " + kMayBeNamed);
    }
    const std::string path = tidy(what);
    const auto real = root_.resolve(path);
    const auto status = root_.status(path);
    if (real && status && below_sysfs(*real) && S_ISDIR(status->st_mode)) {
      find_directory(*real, *status);
    } else if (status) {
      find_path(path, *status);
    }
    if (!found_.empty()) return std::move(found_);
    if (real && below_sysfs(*real) && read_attribute(tree_.files, *real, "hidden") == "1") {
      return fail(printable(path) +
                  ": hidden by the kernel and without a node: name the disk instead");
    }
    return missing_error(root_, path);
  }

 private:
  [[nodiscard]] bool below_sysfs(const std::string& path) const {
    return path.starts_with(tree_.sysfs + '/');
  }

  void find_directory(const std::string& key, const Status& status) {
    read_sysfs(key);
    std::vector<Status> entities{status};
    if (!found_.empty() && found_.back()->number)
      entities.push_back(node_of(*found_.back()->number));
    read_found(entities);
  }

  void find_path(const std::string& path, const Status& status) {
    const auto number = device_number_of(status.st_mode, status.st_rdev);
    const auto device = number ? device_with_number(tree_, *number) : std::nullopt;
    if (device) read_sysfs(*device);
    read_path(path);
    read_found({status});
  }

  static Status node_of(const DeviceNumber& number) {
    Status node{};
    node.st_mode = number.block ? S_IFBLK : S_IFCHR;
    node.st_rdev = ::gnu_dev_makedev(number.major, number.minor);
    return node;
  }

  /// The paths that glob patterns find and that lead to one of `entities`.
  void read_found(const std::vector<Status>& entities) {
    for (const paths::GlobPattern& glob : globs_) {
      for (const std::string& path : glob.list()) {
        const auto other = root_.status(path);
        const auto is_other = [&](const Status& entity) { return same(entity, *other); };
        if (other && std::ranges::any_of(entities, is_other)) read_path(path);
      }
    }
  }

  void read_sysfs(const std::string& key) {
    if (!listing_) listing_ = list_sysfs(tree_, query_->sysfs_patterns);
    Target target{.key = key, .found_by = {}, .by_sysfs = true};
    if (const auto it = listing_->find(key); it != listing_->end()) target.found_by = it->second;
    read(add_globs(std::move(target)));
  }

  void read_path(const std::string& path) {
    Target target = add_globs({.key = path});
    target.by_glob = true;
    read(target);
  }

  [[nodiscard]] Target add_globs(Target target) const {
    for (const paths::GlobPattern& glob : globs_) {
      if (!glob.matches(target.key)) continue;
      target.found_by = target.found_by.with({{.pattern = glob.written()}});
      target.by_glob = true;
    }
    return target;
  }

  void read(Target target) {
    const bool known =
        std::ranges::any_of(found_, [&](const auto& facts) { return facts->key == target.key; });
    if (known) return;
    target.ignore_rules = true;
    if (auto reading = reader_.read(target); reading.facts)
      found_.push_back(std::move(reading.facts));
  }

  HostQueryPtr query_;
  paths::HostRoot root_;
  DeviceTree tree_;
  FactReader reader_;
  std::vector<paths::GlobPattern> globs_;
  std::optional<SysfsListing> listing_;
  std::vector<DeviceFactsPtr> found_;
};

}  // namespace

std::vector<std::string> kernel_devices_named(const DeviceTree& tree, std::string_view name) {
  std::string entry(name);
  std::ranges::replace(entry, '/', '!');
  std::vector<std::string> found;
  if (entry.empty() || entry == "." || entry == ".." || entry.contains('\0')) return found;
  const auto add_from = [&](const std::string& parent, const std::string& below) {
    for (const std::string& subsystem : tree.files.names_in(parent)) {
      auto device = canonical_device(tree, parent + '/' + subsystem + below + '/' + entry);
      if (device) found.push_back(*std::move(device));
    }
  };
  add_from(tree.sysfs + "/class", "");
  add_from(tree.sysfs + "/bus", "/devices");
  std::ranges::sort(found, natural_less);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

Result<std::vector<DeviceFactsPtr>> examine(const HostQueryPtr& query, const paths::HostRoot& root,
                                            const std::string& what, const std::string& sysfs) {
  return Examination(query, root, sysfs).run(what);
}

}  // namespace patchbay::host
