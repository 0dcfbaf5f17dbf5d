#include "host/facts/udev_record.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/facts/database_id.h"
#include "host/facts/sysfs_files.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

struct DeviceDeleter {
  void operator()(udev_device* device) const { udev_device_unref(device); }
};
using DevicePtr = std::unique_ptr<udev_device, DeviceDeleter>;

std::vector<std::string> names_of(udev_list_entry* first) {
  std::vector<std::string> names;
  for (udev_list_entry* entry = first; entry != nullptr; entry = udev_list_entry_get_next(entry)) {
    names.emplace_back(udev_list_entry_get_name(entry));
  }
  return names;
}

/// A record that libudev reads.
class LiveRecord final : public UdevRecord {
 public:
  explicit LiveRecord(DevicePtr device) : device_(std::move(device)) {}

  std::string property(const std::string& name) const override {
    const char* value = udev_device_get_property_value(device_.get(), name.c_str());
    return value != nullptr ? value : "";
  }
  NamedValues properties() const override {
    NamedValues values;
    for (udev_list_entry* entry = udev_device_get_properties_list_entry(device_.get());
         entry != nullptr; entry = udev_list_entry_get_next(entry)) {
      const char* value = udev_list_entry_get_value(entry);
      values.emplace(udev_list_entry_get_name(entry), value != nullptr ? value : "");
    }
    return values;
  }
  std::vector<std::string> tags() const override {
    return names_of(udev_device_get_current_tags_list_entry(device_.get()));
  }
  std::vector<std::string> links() const override {
    return names_of(udev_device_get_devlinks_list_entry(device_.get()));
  }

 private:
  DevicePtr device_;
};

/// A record of a recorded machine: a file of udev's database, and the properties that libudev adds
/// from /sys.
class RecordedRecord final : public UdevRecord {
 public:
  RecordedRecord(const DeviceTree& tree, const std::string& syspath, const DeviceFacts& facts,
                 std::optional<uint32_t> ifindex) {
    add_properties(tree.files.read_attribute(syspath + "/uevent").value_or(""), "");
    if (!facts.devnode.empty()) properties_["DEVNAME"] = facts.devnode;
    properties_["DEVPATH"] = syspath.substr(tree.sysfs.size());
    properties_["SUBSYSTEM"] = facts.subsystem;
    const std::string record = kUdevDatabase + database_id(facts, ifindex);
    add_properties(tree.files.read_file(record).value_or(""), "E:");
    if (!links_.empty()) properties_["DEVLINKS"] = join(links_, " ");
    if (!tags_.empty()) {
      properties_["TAGS"] = properties_["CURRENT_TAGS"] = ":" + join(tags_, ":") + ":";
    }
  }

  std::string property(const std::string& name) const override {
    const auto found = properties_.find(name);
    return found == properties_.end() ? "" : found->second;
  }
  NamedValues properties() const override { return properties_; }
  std::vector<std::string> tags() const override { return tags_; }
  std::vector<std::string> links() const override { return links_; }

 private:
  /// Reads lines `NAME=VALUE` after the prefix. With a prefix, lines S: and Q: are links and
  /// current tags, and I: is the time at which udev had finished.
  void add_properties(std::string_view text, std::string_view prefix) {
    for (const std::string_view line : split(text, '\n')) {
      const size_t equals = line.find('=');
      if (line.starts_with("S:") && !prefix.empty()) {
        links_.push_back("/dev/" + std::string(line.substr(2)));
      } else if (line.starts_with("Q:") && !prefix.empty()) {
        tags_.emplace_back(line.substr(2));
      } else if (line.starts_with("I:") && !prefix.empty()) {
        properties_["USEC_INITIALIZED"] = line.substr(2);
      } else if (line.starts_with(prefix) && equals != std::string_view::npos) {
        const std::string_view name = line.substr(prefix.size(), equals - prefix.size());
        properties_[std::string(name)] = line.substr(equals + 1);
      }
    }
  }

  NamedValues properties_;
  std::vector<std::string> tags_;
  std::vector<std::string> links_;
};

std::unique_ptr<UdevRecord> find_recorded(const DeviceTree& tree, const std::string& syspath) {
  const auto uevent = read_uevent_file(tree.files, syspath);
  const auto subsystem = link_name(tree.files, syspath + "/subsystem");
  if (!uevent || !subsystem) return nullptr;
  DeviceFacts facts;
  facts.key = syspath;
  facts.kind = DeviceKind::kernel_device;
  facts.subsystem = *subsystem;
  facts.devnode = uevent->devnode;
  facts.number = uevent->number;
  if (facts.number) facts.number->block = facts.subsystem == "block";
  return std::make_unique<RecordedRecord>(tree, syspath, facts, uevent->ifindex);
}

}  // namespace

std::vector<std::string> UdevRecord::read(const FactName& name) const {
  std::vector<std::string> values;
  if (name.fact == Fact::property) {
    values.emplace_back(trim_end(property(name.argument)));
  } else if (name.fact == Fact::tag) {
    values = tags();
  } else if (name.fact == Fact::link) {
    values = links();
  }
  std::ranges::sort(values, natural_less);
  return values;
}

std::unique_ptr<UdevRecord> UdevRecords::find(const std::string& syspath) {
  if (tree_.files.is_recorded()) return find_recorded(tree_, syspath);
  if (!udev_) udev_.reset(udev_new());
  if (!udev_) return nullptr;
  DevicePtr device(udev_device_new_from_syspath(udev_.get(), syspath.c_str()));
  if (!device) {
    paths::ResourceExhaustion::record(errno);
    return nullptr;
  }
  return std::make_unique<LiveRecord>(std::move(device));
}

NamedValues read_properties(const DeviceTree& tree, const std::string& syspath,
                            const std::vector<std::string>& names) {
  NamedValues properties;
  const auto record = UdevRecords(tree).find(syspath);
  if (!record) return properties;
  for (const std::string& name : names) {
    std::string value(trim_end(record->property(name)));
    if (!value.empty()) properties.emplace(name, std::move(value));
  }
  return properties;
}

}  // namespace patchbay::host
