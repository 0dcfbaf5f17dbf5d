#include "host/facts/fact_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/database_id.h"
#include "host/facts/device_ancestry.h"
#include "host/facts/device_list.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/uevent_fields.h"
#include "loop/may_block.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

PathType path_type_of(mode_t mode) {
  if (S_ISCHR(mode)) return PathType::character_device;
  if (S_ISBLK(mode)) return PathType::block_device;
  if (S_ISREG(mode)) return PathType::file;
  if (S_ISDIR(mode)) return PathType::directory;
  if (S_ISSOCK(mode)) return PathType::socket;
  return PathType::other;
}

bool is_directory(const paths::HostRoot& files, const std::string& path) {
  const auto status = files.status(path);
  return status && S_ISDIR(status->st_mode);
}

/// The static name in a key that static_key() created. Null: another kind of key.
std::optional<std::string> name_of_static(const std::string& key) {
  const std::string prefix = static_key("");
  if (!key.starts_with(prefix)) return std::nullopt;
  return key.substr(prefix.size());
}

/// The name of the record in udev's database. Null: there is none.
std::optional<std::string> record_of(const paths::HostRoot& files, const DeviceFacts& facts,
                                     std::optional<uint32_t> ifindex) {
  std::string id = database_id(facts, ifindex);
  if (!files.exists(kUdevDatabase + id)) return std::nullopt;
  return id;
}

/// Whether the fact may be readable without a driver; see DeviceAncestry::try_read().
bool is_driverless_fact(const FactName& name) {
  return name.fact == Fact::driver || name.fact == Fact::numa_node ||
         name.fact == Fact::iommu_group;
}

/// A disk without a node may be a path to a disk with native NVMe multipath: see is_hidden().
bool may_be_hidden(const DeviceFacts& facts) {
  return facts.subsystem == "block" && facts.devnode.empty();
}

/// The kernel hides such a path: it cannot be opened, and its disk has a separate device.
bool is_hidden(const paths::HostRoot& files, const DeviceFacts& facts) {
  return may_be_hidden(facts) && read_attribute(files, facts.key, "hidden") == "1";
}

/// The facts that cost nothing, and the interface's index.
struct CheapFacts {
  DeviceFacts facts;
  std::optional<uint32_t> ifindex;
};

std::optional<CheapFacts> read_cheap(const paths::HostRoot& files, const Target& target) {
  CheapFacts cheap;
  DeviceFacts& facts = cheap.facts;
  facts.key = target.key;
  facts.name = sysname_of(target.key);
  facts.found_by = target.found_by;
  const auto uevent = read_uevent_file(files, target.key);
  const auto subsystem = uevent ? link_name(files, target.key + "/subsystem") : std::nullopt;
  if (!subsystem) {
    if (target.found_by.empty() && !target.ignore_rules) return std::nullopt;
    if (!is_directory(files, target.key)) return std::nullopt;
    facts.kind = DeviceKind::sysfs_directory;
    return cheap;
  }
  facts.kind = DeviceKind::kernel_device;
  facts.subsystem = *subsystem;
  facts.devtype = uevent->devtype;
  facts.devnode = uevent->devnode;
  facts.number = uevent->number;
  if (facts.number) facts.number->block = facts.subsystem == "block";
  cheap.ifindex = uevent->ifindex;
  return cheap;
}

}  // namespace

void ReadProgress::begin(const std::string& key) {
  const std::lock_guard lock(mutex_);
  state_ = {.what = key};
}

void ReadProgress::set_facts(const DeviceFacts& facts) {
  auto known = std::make_shared<const DeviceFacts>(facts);
  const std::lock_guard lock(mutex_);
  state_.facts = std::move(known);
}

void ReadProgress::set_item(std::string what) {
  const std::lock_guard lock(mutex_);
  state_.what = std::move(what);
}

ReadProgress::State ReadProgress::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

FactReader::FactReader(HostQueryPtr query, paths::HostRoot root, const std::string& sysfs,
                       ReadProgress* progress)
    : query_(std::move(query)),
      root_(std::move(root)),
      progress_(progress),
      tree_(root_, sysfs),
      records_(tree_) {}

Reading FactReader::read(const Target& target) {
  const auto begin = std::chrono::steady_clock::now();
  const paths::ResourceExhaustion exhaustion;
  Reading reading;
  if (progress_ != nullptr) progress_->begin(target.key);
  if (auto name = name_of_static(target.key)) {
    DeviceFacts facts;
    facts.key = target.key;
    facts.kind = DeviceKind::static_name;
    facts.name = *std::move(name);
    finish(reading, std::move(facts));
  } else {
    if (may_be_device(target)) reading = read_sysfs(target);
    if (target.by_glob && !reading.facts && !reading.deferred) reading = read_path(target);
  }
  reading.exhaustion_errno = exhaustion.error();
  reading.took =
      std::chrono::duration_cast<loop::Milliseconds>(std::chrono::steady_clock::now() - begin);
  return reading;
}

/// A path below /sys/devices that a glob found may be the same device that another rule finds.
bool FactReader::may_be_device(const Target& target) const {
  if (target.by_sysfs || !target.by_glob) return true;
  return tree_.contains(target.key);
}

Reading FactReader::read_sysfs(const Target& target) {
  auto cheap = read_cheap(tree_.files, target);
  if (!cheap || is_hidden(tree_.files, cheap->facts)) return {};
  DeviceFacts& facts = cheap->facts;
  const bool by_subsystem = covers(query_->subsystems, facts.subsystem);
  if (target.found_by.empty() && !by_subsystem && !target.ignore_rules) return {};
  report_facts(facts);
  const WantedFacts wanted = query_->wanted(facts);
  if (!wanted.relevant && !target.ignore_rules) return {};
  Reading reading;
  if (facts.kind == DeviceKind::kernel_device) {
    const auto record = record_of(tree_.files, facts, cheap->ifindex);
    reading.record_id = record.value_or("");
    reading.deferred =
        target.defer_uninitialised && by_subsystem && !record && wanted.awaits_udev();
    if (reading.deferred) return reading;
  }
  read_wanted(wanted, facts);
  finish(reading, std::move(facts));
  return reading;
}

Reading FactReader::read_path(const Target& target) const {
  Reading reading;
  auto status = root_.link_status(target.key);
  reading.is_link = status && S_ISLNK(status->st_mode);
  if (reading.is_link) status = root_.status(target.key);
  if (!status) return reading;
  DeviceFacts facts = path_facts(target, *status);
  if (query_->wanted(facts).relevant || target.ignore_rules) finish(reading, std::move(facts));
  return reading;
}

bool FactReader::can_try_cached(const Target& target) const {
  return target.by_glob && !may_be_device(target);
}

std::optional<Reading> FactReader::try_read_cached(const Target& target,
                                                   const paths::NonblockingStat& at) const {
  if (!can_try_cached(target)) return std::nullopt;
  const auto status = at.try_lstat(target.key);
  if (!status || !*status || S_ISLNK((*status)->st_mode)) return std::nullopt;
  Reading reading;
  reading.event_time = target.event_time;
  DeviceFacts facts = path_facts(target, **status);
  if (!query_->wanted(facts).relevant && !target.ignore_rules) return reading;
  // Reading files may take any time.
  if (query_->files && !query_->files(facts).empty()) return std::nullopt;
  reading.facts = std::make_shared<const DeviceFacts>(std::move(facts));
  return reading;
}

std::optional<Reading> FactReader::try_read_from_event(const Target& target,
                                                       const DeviceFacts& event_facts,
                                                       const NonblockingSysfs& sysfs) const {
  // The event contains neither the pattern that finds the device nor the interface index that
  // udev's database uses.
  if (!target.found_by.empty() || event_facts.subsystem == "net") return std::nullopt;
  Reading reading{.event_time = target.event_time};
  const WantedFacts wanted = query_->wanted(event_facts);
  if (!wanted.relevant) return reading;
  if (!wanted.above.empty() || may_be_hidden(event_facts)) return std::nullopt;
  if (!std::ranges::all_of(wanted.facts, is_driverless_fact)) return std::nullopt;
  const auto is_there = sysfs.has(target.key);
  if (!is_there) return std::nullopt;
  if (!*is_there) return reading;
  const paths::ResourceExhaustion exhaustion;
  const loop::MayBlock may(true);  // In memory, as /run/udev is.
  // Events of modules, drivers and queues have the same form.
  if (link_name(tree_.files, target.key + "/subsystem") != event_facts.subsystem)
    return std::nullopt;
  auto known = try_read_known(wanted, target.key);
  if (!known) return std::nullopt;
  DeviceFacts facts = event_facts;
  facts.known = *std::move(known);
  // Reading files may take any time, and the choice of files may depend on the other facts.
  if (query_->files && !query_->files(facts).empty()) return std::nullopt;
  reading.record_id = record_of(tree_.files, facts, std::nullopt).value_or("");
  if (exhaustion.error() != 0) return std::nullopt;
  reading.facts = std::make_shared<const DeviceFacts>(std::move(facts));
  return reading;
}

/// Null: a driver may be involved in one of the facts.
std::optional<FactValues> FactReader::try_read_known(const WantedFacts& wanted,
                                                     const std::string& syspath) const {
  DeviceAncestry ancestry(tree_, syspath);
  std::vector<FactValue> found;
  for (const FactName& name : wanted.facts) {
    auto value = ancestry.try_read(name);
    if (!value) return std::nullopt;
    found.push_back({name.fact, name.argument, *std::move(value)});
  }
  return FactValues(std::move(found));
}

DeviceFacts FactReader::path_facts(const Target& target, const paths::HostRoot::Status& status) {
  DeviceFacts facts;
  facts.key = target.key;
  facts.kind = DeviceKind::path;
  facts.name = base_name(target.key);
  facts.found_by = target.found_by;
  facts.path_type = path_type_of(status.st_mode);
  facts.number = device_number_of(status.st_mode, status.st_rdev);
  return facts;
}

void FactReader::finish(Reading& reading, DeviceFacts facts) const {
  if (query_->files) reading.files = query_->files(facts);
  std::vector<FactValue> known;
  if (!reading.files.empty()) known = facts.known.list();
  for (size_t i = 0; i < reading.files.size(); ++i) {
    const std::string& path = reading.files[i];
    if (progress_ != nullptr) {
      facts.known = FactValues(known);
      facts.unread.clear();
      for (size_t j = i; j < reading.files.size(); ++j) {
        facts.unread.push_back({Fact::file, reading.files[j]});
      }
      report_facts(facts);
    }
    report_item(path);
    auto content = root_.read_file(path);
    if (content) known.push_back({Fact::file, path, *std::move(content)});
  }
  if (!reading.files.empty()) facts.known = FactValues(std::move(known));
  facts.unread.clear();
  reading.facts = std::make_shared<const DeviceFacts>(std::move(facts));
}

void FactReader::read_wanted(const WantedFacts& wanted, DeviceFacts& facts) {
  std::vector<FactValue> found = read_quick(wanted, facts);
  read_attributes_of(wanted, wanted.above.empty(), facts, found);
  facts.known = FactValues(std::move(found));
  const bool is_device = facts.kind == DeviceKind::kernel_device;
  if (is_device && !wanted.above.empty()) read_ancestors(wanted.above.front(), facts);
}

std::vector<FactValue> FactReader::read_quick(const WantedFacts& wanted, const DeviceFacts& facts) {
  const bool is_device = facts.kind == DeviceKind::kernel_device;
  const std::string syspath(facts.syspath());
  DeviceAncestry ancestry(tree_, syspath);
  std::unique_ptr<UdevRecord> record;
  if (is_device && wanted.wants(Cost::database)) record = records_.find(syspath);
  std::vector<FactValue> found;
  for (const FactName& name : wanted.facts) {
    std::vector<std::string> values;
    if (name.fact == Fact::attribute) continue;
    if (info(name.fact).cost == Cost::database) {
      if (record) values = record->read(name);
    } else if (is_device) {
      report_item(syspath);
      values.push_back(ancestry.read(name));
    }
    for (std::string& value : values) {
      found.push_back({name.fact, name.argument, std::move(value)});
    }
  }
  if (record) paths::ResourceExhaustion::probe();
  return found;
}

void FactReader::read_attributes_of(const WantedFacts& wanted, bool alone, DeviceFacts& facts,
                                    std::vector<FactValue>& found) const {
  if (!wanted.wants(Fact::attribute)) return;
  const std::string syspath(facts.syspath());
  if (alone && progress_ != nullptr) {
    DeviceFacts part = facts;
    part.known = FactValues(found);
    std::ranges::copy_if(wanted.facts, std::back_inserter(part.unread),
                         [](const FactName& name) { return name.fact == Fact::attribute; });
    part.unread.push_back({Fact::file, ""});
    report_facts(part);
  }
  for (const FactName& name : wanted.facts) {
    if (name.fact != Fact::attribute) continue;
    if (progress_ != nullptr) progress_->set_item(fmt::format("{}/{}", syspath, name.argument));
    for (std::string& value : read_attributes(tree_.files, syspath, name.argument)) {
      found.push_back({name.fact, name.argument, std::move(value)});
    }
  }
}

void FactReader::read_ancestors(const WantedFacts& wanted, DeviceFacts& facts) {
  for (const std::string& directory : DeviceAncestry(tree_, facts.key).above()) {
    auto above = read_cheap(tree_.files, {.key = directory});
    if (!above) continue;
    std::vector<FactValue> found = read_quick(wanted, above->facts);
    read_attributes_of(wanted, false, above->facts, found);
    above->facts.known = FactValues(std::move(found));
    facts.ancestors.push_back(std::move(above->facts));
  }
}

}  // namespace patchbay::host
