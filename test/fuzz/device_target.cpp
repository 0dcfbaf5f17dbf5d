#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "fake/temp_dir.h"
#include "fuzz/must.h"
#include "fuzz/pieces.h"
#include "fuzz/plan.h"
#include "fuzz/targets.h"
#include "host/facts/database_id.h"
#include "host/facts/sysfs_files.h"
#include "host/udev/udev_event.h"
#include "inventory/allocate.h"
#include "inventory/inventory.h"
#include "inventory/unit_checks.h"
#include "model/facts.h"
#include "plugin/plugin_messages.h"
#include "rules/compile.h"
#include "rules/plan/plan.h"
#include "rules/text/text_use.h"
#include "specs/cdi_spec.h"
#include "specs/device_info.h"

namespace patchbay::fuzz {
namespace {

/// A directory like those of /sys, with the content that the input describes. The program's own
/// code reads it.
class SysfsDirectory {
 public:
  std::optional<std::string> attribute(std::string_view content) {
    write("attribute", content);
    return host::read_attribute({}, path(), "attribute");
  }
  std::optional<host::UeventFile> uevent(std::string_view content) {
    write("uevent", content);
    return host::read_uevent_file({}, path());
  }

 private:
  [[nodiscard]] std::string path() const { return directory_.path(); }
  void write(const std::string& name, std::string_view content) {
    std::ofstream(directory_ / name, std::ios::binary) << content;
  }

  fake::TempDir directory_;
};

/// The devices that an input describes. Each chunk is a line with a keyword, for some keywords a
/// name, then the value. Keywords with names are `property SERIAL` and `attribute size`; `uevent`
/// has none. A line `device tty` begins another device.
class World {
 public:
  explicit World(std::string_view data) {
    for (const std::string_view piece : pieces_of(data)) {
      const size_t line = piece.find('\n');
      const std::string_view head = piece.substr(0, line);
      const size_t space = head.find(' ');
      add(head.substr(0, space),
          space == std::string_view::npos ? std::string_view() : head.substr(space + 1),
          line == std::string_view::npos ? std::string_view() : piece.substr(line + 1));
    }
    finish();
  }

  [[nodiscard]] const std::vector<DeviceFactsPtr>& devices() const { return devices_; }

 private:
  static constexpr size_t kMostDevices = 40;

  void add(std::string_view word, std::string_view name, std::string_view value) {
    if (word == "device") begin(name);
    if (word == "path") begin_path(value);
    if (word == "name") facts_.name = text(value);
    if (word == "devnode") facts_.devnode = text(value);
    if (word == "devtype") facts_.devtype = text(value);
    if (word == "uevent") read_uevent(value);
    if (word == "event") read_event(value);
    if (word == "above") read_above(name, value);
    if (word == "record") (void)host::parse_database_id(value);
    const FactInfo* const fact = find_fact(word);
    if (fact == nullptr || fact->cost == Cost::none ||
        !fact->variable_in.contains(RuleKind::subsystem)) {
      return;
    }
    if (fact->has_argument != !name.empty()) return;
    if (fact->fact == Fact::attribute) {
      if (const auto read = directory().attribute(value))
        known_.push_back({fact->fact, std::string(name), *read});
      return;
    }
    // For a fact with fixed names, skips other names.
    if (!fact->fields.empty() && find_field(*fact, name) == nullptr) return;
    known_.push_back({fact->fact, fact->fact == Fact::link ? "" : std::string(name), text(value)});
  }
  static std::string text(std::string_view value) {
    return std::string(trim_end(value.substr(0, value.find('\0'))));
  }
  static SysfsDirectory& directory() {
    static SysfsDirectory directory;
    return directory;
  }
  void begin(std::string_view subsystem) {
    finish();
    facts_.key = "/sys/devices/" + std::to_string(devices_.size());
    facts_.name = "d" + std::to_string(devices_.size());
    facts_.subsystem = text(subsystem);
  }
  /// Begins a path that a pattern can find: a prefix, one name, and a suffix.
  void begin_path(std::string_view path) {
    finish();
    constexpr std::string_view kPathBegin = "/run/vm/";
    constexpr std::string_view kPathEnd = "/net.sock";
    const std::string key = text(path);
    if (!key.starts_with(kPathBegin) || !key.ends_with(kPathEnd) || rules::path_fault(key)) return;
    if (std::ranges::count(key, '/') != std::ranges::count(kPathBegin, '/') + 1) return;
    facts_.key = key;
    facts_.kind = DeviceKind::path;
    facts_.name = kPathEnd.substr(1);
    facts_.path_type = PathType::socket;
    facts_.found_by = {{"/run/vm/*/net.sock", key}};
  }
  void read_uevent(std::string_view value) {
    const auto file = directory().uevent(value);
    if (!file) return;
    facts_.devtype = file->devtype;
    facts_.devnode = file->devnode;
    facts_.number = file->number;
  }
  void read_event(std::string_view message) {
    const auto event = host::parse_uevent(message);
    if (!event) return;
    const DeviceFacts event_facts = event->facts();
    facts_.name = text(event_facts.name);
    facts_.devtype = event_facts.devtype;
    facts_.devnode = event_facts.devnode;
    facts_.number = event_facts.number;
  }
  void read_above(std::string_view subsystem, std::string_view name) {
    DeviceFacts above;
    above.key = "/sys/devices/above/" + text(name);
    above.name = text(name);
    above.subsystem = text(subsystem);
    facts_.ancestors.push_back(above);
  }
  void finish() {
    // Skips a repeated device, because the program reports each device once.
    if (!facts_.key.empty() && devices_.size() < kMostDevices && keys_.insert(facts_.key).second) {
      facts_.known = FactValues(std::move(known_));
      devices_.push_back(std::make_shared<const DeviceFacts>(std::move(facts_)));
    }
    facts_ = {};
    known_.clear();
  }

  DeviceFacts facts_;
  std::vector<FactValue> known_;
  std::vector<DeviceFactsPtr> devices_;
  std::set<std::string> keys_;
};

void check_path(std::string_view path) {
  must(!rules::path_fault(path), "a path without faults", path);
  must_be_plain(path, "a path is plain text");
}

void check_allocation(const inventory::Allocation& allocation) {
  for (const auto& [name, value] : allocation.envs) {
    must_be_plain(name, "the name of a variable is plain text");
    must_be_plain(value, "a variable is plain text");
  }
  for (const auto& [name, value] : allocation.annotations) {
    must_be_plain(name, "the name of an annotation is plain text");
    must_be_plain(value, "an annotation is plain text");
  }
  for (const auto& device : allocation.devices) {
    check_path(device.host_path);
    check_path(device.container_path);
  }
  for (const auto& mount : allocation.mounts) {
    check_path(mount.host_path);
    check_path(mount.container_path);
  }
  for (const std::string& name : allocation.cdi_devices) {
    must(!rules::cdi_name_fault(name), "a name of CDI", name);
  }
}

void check_checks(const inventory::Snapshot& snapshot, const inventory::Unit& unit) {
  for (const inventory::UnitProbe& probe : unit.checks->probes) {
    for (const std::string& argument : probe.check.arguments) {
      must_be_plain(argument, "an argument of a probe is plain text");
    }
    must(probe.check.arguments.size() < 2 || !probe.check.arguments[1].starts_with('-'),
         "no device says an option of a probe");
    if (!probe.check.path.empty()) check_path(probe.check.path);
  }
  for (const inventory::NeededPath& needed : unit.checks->paths) check_path(needed.path);
  const auto steps = inventory::steps_of(*snapshot.resource, unit, &rules::GroupPlan::pre_start);
  if (!steps) return;
  for (const Step& step : *steps) {
    if (!step.path.empty()) check_path(step.path);
  }
}

void check_unit(const inventory::Snapshot& snapshot, const inventory::Unit& unit) {
  must(!unit.id.empty() && unit.id.size() <= rules::kMaxIdLength, "an id of some length", unit.id);
  must(std::ranges::all_of(unit.id,
                           [](char c) {
                             return is_alphanumeric(c) ||
                                    std::string_view("._:-").find(c) != std::string_view::npos;
                           }),
       "an id of few characters", unit.id);
  must(unit.listed() <= 65'536, "not too many shares", unit.id);
  check_checks(snapshot, unit);
  for (const size_t share : {size_t{0}, unit.listed() - 1}) {
    const std::vector<std::string> ids = {unit.listed_id(share)};
    const auto listed = snapshot.find_listed(ids.front());
    must(listed && listed->unit == &unit, "what is listed is found", ids.front());
    const auto allocation = inventory::allocate(
        snapshot, ids,
        [](const std::string& path, bool /*device*/) { return path.size() % 2 == 0; });
    must(allocation.has_value(), "a healthy unit is given",
         allocation ? "" : allocation.error().message);
    check_allocation(*allocation);
    (void)plugin::to_response(*allocation).SerializeAsString();
  }
}

/// Checks the list for the kubelet, and the files for other programs about all units.
void check_written_files(const inventory::Snapshot& snapshot) {
  v1beta1::ListAndWatchResponse read;
  must(read.ParseFromString(plugin::encode_list(snapshot)), "a list that the kubelet can read");
  const auto spec = specs::cdi_spec(
      snapshot, [](const std::string& path) -> std::optional<std::string> { return path; });
  must(spec.has_value(), "the spec of offered units can be written",
       spec ? "" : spec.error().message);
  if (*spec) {
    must(!nlohmann::json::parse(**spec, nullptr, false).is_discarded(), "a CDI spec is JSON",
         **spec);
  }
  for (const specs::DeviceInfo& info : specs::device_infos(snapshot)) {
    must(info.name.find('/') == std::string::npos && info.name.size() <= 255, "a file's name",
         info.name);
    must(specs::is_our_device_info(info.name, info.content), "our own file is known", info.content);
  }
  std::vector<std::string> all;
  for (const inventory::Unit& unit : snapshot.units) all.push_back(unit.listed_id(0));
  const auto allocation =
      inventory::allocate(snapshot, all, [](const std::string&, bool) { return true; });
  if (allocation) {
    check_allocation(*allocation);
  } else {
    must_be_plain(allocation.error().message, "a reason is plain text");
  }
}

void check(const inventory::Resolution& resolution) {
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    std::set<std::string> ids;
    for (const inventory::Unit& unit : resource.snapshot->units) {
      must(ids.insert(unit.id).second, "an id is used once in a resource", unit.id);
      check_unit(*resource.snapshot, unit);
    }
    for (const inventory::Refusal& refusal : resource.refusals) {
      must(!refusal.reason.empty(), "a refusal has a reason");
      must_be_plain(refusal.reason, "a reason is plain text");
    }
    check_written_files(*resource.snapshot);
  }
}

}  // namespace

void examine_device(std::string_view data) {
  const World world(data);
  const inventory::Inventory::Time now{std::chrono::hours(1)};
  inventory::Inventory forwards(hostile_plan());
  forwards.set_online_nodes({0, 1});
  for (const DeviceFactsPtr& device : world.devices()) forwards.apply(device);
  check(forwards.resolve(now));

  inventory::Inventory backwards(hostile_plan());
  backwards.set_online_nodes({0, 1});
  for (const DeviceFactsPtr& device : world.devices() | std::views::reverse) {
    backwards.apply(device);
  }
  backwards.resolve(now);
  for (size_t i = 0; i < hostile_plan()->resources.size(); ++i) {
    must(forwards.last().resources[i].snapshot->units ==
             backwards.last().resources[i].snapshot->units,
         "the order in which devices are told does not matter",
         forwards.last().resources[i].name());
  }
}

}  // namespace patchbay::fuzz
