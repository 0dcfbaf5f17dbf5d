#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/fact.h"

namespace patchbay {

/// The kind of entity that a DeviceFacts describes.
enum class DeviceKind {
  kernel_device,    ///< A device in the kernel's device tree. It has a syspath and a subsystem.
  sysfs_directory,  ///< A directory under /sys that is not a kernel device.
  path,             ///< A path of the host's file system, found by a `glob:` pattern.
  static_name,      ///< A name from the configuration, without anything on the host.
  node,             ///< The node itself, which `when` compares.
};

/// The number of a device node. Nodes with the same number are the same device, even at different
/// paths.
struct DeviceNumber {
  bool block = false;
  uint32_t major = 0;
  uint32_t minor = 0;
  friend auto operator<=>(const DeviceNumber&, const DeviceNumber&) = default;
};

/// Returns the number of a file with this `st_mode` and `st_rdev`. Null if the file is not a device
/// node.
[[nodiscard]] std::optional<DeviceNumber> device_number_of(mode_t mode, dev_t number);

/// "char 1:3" or "block 8:0".
[[nodiscard]] std::string text_of(const DeviceNumber& number);

/// A pattern of the configuration, as written, and the path that it found.
struct FoundBy {
  std::string pattern;
  std::string path{};  ///< Empty: the path is the key of the entity, as for `glob:`.
  friend auto operator<=>(const FoundBy&, const FoundBy&) = default;
};

/// The patterns that find an entity: sorted, without duplicates. Copies share one list in memory,
/// because many entities have the same list. Immutable; any thread.
class FoundByList {
 public:
  FoundByList() = default;
  FoundByList(std::initializer_list<FoundBy> all) : FoundByList(std::vector(all)) {}
  /// In any order.
  explicit FoundByList(std::vector<FoundBy> all);

  [[nodiscard]] const FoundBy* begin() const { return all_ ? all_->data() : nullptr; }
  [[nodiscard]] const FoundBy* end() const { return all_ ? all_->data() + all_->size() : nullptr; }
  [[nodiscard]] size_t size() const { return all_ ? all_->size() : 0; }
  [[nodiscard]] bool empty() const { return all_ == nullptr; }
  /// The union of both lists.
  [[nodiscard]] FoundByList with(const FoundByList& others) const;

  using value_type = FoundBy;
  using const_iterator = const FoundBy*;

  friend bool operator==(const FoundByList& a, const FoundByList& b);

 private:
  std::shared_ptr<const std::vector<FoundBy>> all_;  ///< Null: empty.
};

/// Values by name.
using NamedValues = std::map<std::string, std::string, std::less<>>;
/// Several values by name.
using ValueLists = std::map<std::string, std::vector<std::string>, std::less<>>;

/// One value of a fact.
struct FactValue {
  Fact fact = Fact::name;
  std::string argument;  ///< The NAME of FactInfo::has_argument.
  std::string value;
};

/// The values of facts, by fact and argument. All values of one entity are in one block of memory,
/// which copies share.
class FactValues {
 public:
  FactValues() = default;
  /// Values of one fact and argument keep their order. Empty values are omitted, except those of
  /// files.
  FactValues(std::initializer_list<FactValue> values) : FactValues(std::vector(values)) {}
  explicit FactValues(std::vector<FactValue> values);

  /// The values of a fact. Empty if the fact is absent. The views are valid while this object or a
  /// copy exists.
  [[nodiscard]] std::span<const std::string_view> of(Fact fact,
                                                     std::string_view argument = {}) const;
  [[nodiscard]] bool has(Fact fact, std::string_view argument = {}) const {
    return !of(fact, argument).empty();
  }
  /// The first value. Empty if there is none.
  [[nodiscard]] std::string_view first(Fact fact, std::string_view argument = {}) const;
  /// All values.
  [[nodiscard]] std::vector<FactValue> list() const;

  friend bool operator==(const FactValues& a, const FactValues& b);

 private:
  struct Key;
  [[nodiscard]] std::span<const Key> keys() const;
  [[nodiscard]] std::span<const std::string_view> values() const;

  size_t count_ = 0;
  std::shared_ptr<const std::byte[]> memory_;  ///< The views, the keys, and the characters of both.
};

/// A fact with a cost, and its argument.
struct FactName {
  Fact fact = Fact::driver;
  std::string argument{};
  friend auto operator<=>(const FactName&, const FactName&) = default;
};

/// The facts that the host reports about one entity at one moment. A plain value, immutable once
/// shared; any thread may read it. Strings come from devices and are untrusted. Trailing white
/// space and NULs are removed. A field that is empty or null is absent on the device.
struct DeviceFacts {
  /// Identifies the entity for its life. For kernel devices and sysfs directories: the canonical
  /// syspath (/sys/devices/…). DeviceKind::path: the absolute path found. DeviceKind::static_name:
  /// see static_key(). DeviceKind::node: "node".
  std::string key;
  DeviceKind kind = DeviceKind::kernel_device;

  std::string name;                    ///< sysname, last path component, static name, or node name.
  std::string subsystem;               ///< "net", "block", …; kernel devices only.
  std::string devtype;                 ///< DEVTYPE: "disk", "usb_device", …
  std::string devnode;                 ///< "/dev/zram0".
  std::optional<DeviceNumber> number;  ///< Number of `devnode`, or of the device node at a path.
  std::optional<PathType> path_type;   ///< Only for paths.
  FoundByList found_by;                ///< For paths, and for matches of sysfs patterns.

  /// The facts with a cost that WantedFacts and HostQuery::files requested. Absent and unreadable
  /// facts are omitted.
  FactValues known;
  /// Attributes and files that the rules need, if their read has not ended yet. Fact::file without
  /// an argument means all files.
  std::vector<FactName> unread;

  /// The devices above, nearest first, with the facts that WantedFacts::above requested.
  std::vector<DeviceFacts> ancestors;

  /// The canonical syspath of a kernel device or sysfs directory. Empty for other kinds.
  [[nodiscard]] std::string_view syspath() const;

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;
};

/// The values of one fact, as views into a DeviceFacts.
class Values {
 public:
  explicit Values(std::string_view one = {}) : one_(one) {}
  explicit Values(std::span<const std::string_view> several) : several_(several) {}

  [[nodiscard]] std::span<const std::string_view> all() const {
    return one_.empty() ? several_ : std::span(&one_, 1);
  }
  /// The value if there is exactly one. Otherwise empty.
  [[nodiscard]] std::string_view only() const { return all().size() == 1 ? all().front() : ""; }

 private:
  std::string_view one_;
  std::span<const std::string_view> several_;
};

/// Returns the values of any fact, from the fields or from DeviceFacts::known.
[[nodiscard]] Values values_of(const DeviceFacts& facts, Fact fact, std::string_view argument = {});

/// DeviceFacts::key of a static name.
[[nodiscard]] inline std::string static_key(std::string_view name) {
  return "static:" + std::string(name);
}

using DeviceFactsPtr = std::shared_ptr<const DeviceFacts>;

/// The facts with a cost that must be read for one entity.
struct WantedFacts {
  bool relevant = false;             ///< False: no rule can match the entity, so it is ignored.
  std::vector<FactName> facts{};     ///< Sorted, without duplicates; only facts with a cost.
  std::vector<WantedFacts> above{};  ///< What to read of each device above. Empty, or one item.
  /// Whether a fact can contain a name that udev sets, such as the name of a network interface.
  bool names_from_udev = false;

  /// Adds a fact. Ignores facts with Cost::none or Cost::file.
  void add(Fact fact, std::string_view argument = {});
  void add(const WantedFacts& other);
  /// The item of `above`, which is created if needed.
  WantedFacts& for_ancestors();
  [[nodiscard]] bool wants(Fact fact) const;
  [[nodiscard]] bool wants(Cost cost) const;
  /// Whether udev can change the facts, so that they are read after udev's processing.
  [[nodiscard]] bool awaits_udev() const;
};

/// The entities and facts that the rules need. Made from a Plan; immutable; any thread.
struct HostQuery {
  /// Patterns of `sysfs:` and `glob:`, as written, without duplicates.
  std::vector<std::string> sysfs_patterns;
  std::vector<std::string> glob_patterns;
  /// The names of `static:`, without duplicates. They are reported unchanged.
  std::vector<std::string> static_names;
  /// Subsystem names and fnmatch patterns that cover every `subsystem:` rule, to list devices and
  /// to filter events. Empty if there is no `subsystem:` rule. {"*"} means any subsystem.
  std::vector<std::string> subsystems;
  /// Rules or templates use facts from udev's database, of a device or of a device above it.
  bool databases = false;
  /// Rules use facts from udev's database of devices above a device.
  bool databases_above = false;
  /// Facts can change with the link state of a network interface. There is no uevent for this
  /// change.
  bool follows_links = false;
  /// Returns the facts with a cost that must be read for an entity. `cheap` has only the facts
  /// without a cost: kind, key, syspath, name, subsystem, devtype, devnode, number, path_type and
  /// found_by. Pure; called from all threads.
  std::function<WantedFacts(const DeviceFacts& cheap)> wanted;
  /// Takes all other facts of an entity. Returns the host files whose content the rules compare:
  /// absolute paths, sorted, without duplicates. Pure; called from all threads. If the function is
  /// null, the rules compare no files.
  std::function<std::vector<std::string>(const DeviceFacts&)> files;

  [[nodiscard]] bool follows_devices() const {
    return !subsystems.empty() || !sysfs_patterns.empty();
  }
  [[nodiscard]] bool follows_paths() const { return !glob_patterns.empty() || files != nullptr; }
  /// Names of the event sources that the query needs: see EventSource::name.
  [[nodiscard]] std::vector<std::string> event_sources() const;
};

/// Something on the host that does not answer or cannot be read, so that facts are missing.
struct Unresponsive {
  std::string what;                     ///< For messages: a path, possibly of a file or attribute.
  std::vector<std::string> patterns{};  ///< Patterns with incomplete results.
  std::string key{};                    ///< Key of the entity with missing facts, if there is one.
  DeviceFactsPtr facts{};  ///< Known facts of that entity. Null: not even its kind is known.
  bool slow = false;       ///< It may answer soon. The first list waits for it.
  bool refused = false;    ///< It answers, but descriptors or memory are exhausted.
  friend bool operator==(const Unresponsive&, const Unresponsive&) = default;
};

/// The facts of the node that `when:` needs: sorted, without duplicates.
struct NodeQuery {
  std::vector<std::string> files{};      ///< Absolute paths.
  std::vector<std::string> globs{};      ///< Patterns as in `glob:`.
  std::vector<std::string> variables{};  ///< Names of our own environment variables.
};
/// The facts of the node that a NodeQuery requested.
struct NodeFacts {
  NamedValues files{};               ///< Content by path; absent and unreadable ones are omitted.
  std::vector<std::string> globs{};  ///< Patterns with a match; sorted.
  NamedValues unknown{};             ///< Unknown paths and patterns, with the reason.
  std::vector<std::string> unresponsive{};  ///< Paths and patterns that could not be read in time,
                                            ///< sorted. The last known value, if any, is used.
  int exhaustion_errno = 0;  ///< Errno if a read failed for lack of resources; else 0.
  std::vector<std::string> watch_paths{};  ///< Paths whose changes can change these facts.
  NamedValues variables{};                 ///< Values by name; unset variables are omitted.
};

using HostQueryPtr = std::shared_ptr<const HostQuery>;

}  // namespace patchbay
