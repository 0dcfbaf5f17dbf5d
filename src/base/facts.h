#pragma once

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

#include "base/fact.h"

namespace patchbay {

/// Which of the host's things a DeviceFacts describes.
enum class DeviceKind {
  kernel_device,    ///< Has a place in the kernel's device tree: a syspath and a subsystem.
  sysfs_directory,  ///< A directory under /sys that is no kernel device.
  path,             ///< A path of the host's file system, found by a glob.
  static_name,      ///< A name that the configuration gives: nothing on the host.
  node,             ///< The node itself, which `when` looks at.
};

/// The number of a device node; two nodes with one number are one device, wherever they stand.
struct DeviceNumber {
  bool block = false;
  uint32_t major = 0;
  uint32_t minor = 0;
  friend auto operator<=>(const DeviceNumber&, const DeviceNumber&) = default;
};

/// "char 1:3" or "block 8:0".
[[nodiscard]] std::string text_of(const DeviceNumber& number);

/// A pattern of the configuration, as written, and what it found.
struct FoundBy {
  std::string pattern;
  std::string path{};  ///< Empty where it is the thing's very key, as of what `glob:` finds.
  friend auto operator<=>(const FoundBy&, const FoundBy&) = default;
};

/// What found a thing: sorted, without repeats. Copies share it, since very many things may be
/// found by the same. Immutable; any thread.
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
  /// What found it of both.
  [[nodiscard]] FoundByList with(const FoundByList& others) const;

  using value_type = FoundBy;
  using const_iterator = const FoundBy*;

  friend bool operator==(const FoundByList& a, const FoundByList& b);

 private:
  std::shared_ptr<const std::vector<FoundBy>> all_;  ///< Null: nothing.
};

/// Values by name.
using NamedValues = std::map<std::string, std::string, std::less<>>;
/// The same of what may have several values by one name.
using ValueLists = std::map<std::string, std::vector<std::string>, std::less<>>;

/// One value of a fact.
struct FactValue {
  Fact fact = Fact::name;
  std::string argument;  ///< Which of the facts of that name: see FactInfo::named.
  std::string value;
};

/// Values by fact and argument. Those of one thing are in one piece of memory, which copies share.
class FactValues {
 public:
  FactValues() = default;
  /// In any order; of several values of one fact, theirs is kept. Empty ones are left out.
  FactValues(std::initializer_list<FactValue> values) : FactValues(std::vector(values)) {}
  explicit FactValues(std::vector<FactValue> values);

  /// None if the fact is absent. Views, as long as this or a copy of it is there.
  [[nodiscard]] std::span<const std::string_view> of(Fact fact,
                                                     std::string_view argument = {}) const;
  [[nodiscard]] bool has(Fact fact, std::string_view argument = {}) const {
    return !of(fact, argument).empty();
  }
  /// The first value; empty if there is none.
  [[nodiscard]] std::string_view first(Fact fact, std::string_view argument = {}) const;
  /// All of them.
  [[nodiscard]] std::vector<FactValue> list() const;

  friend bool operator==(const FactValues& a, const FactValues& b);

 private:
  struct Key;
  [[nodiscard]] std::span<const Key> keys() const;
  [[nodiscard]] std::span<const std::string_view> values() const;

  size_t count_ = 0;
  std::shared_ptr<const std::byte[]> memory_;  ///< Values, keys, and the characters of both.
};

/// A fact that costs something, and which of those of its name.
struct FactName {
  Fact fact = Fact::driver;
  std::string argument{};
  friend auto operator<=>(const FactName&, const FactName&) = default;
};

/// What the host says about one thing, at one moment. A plain value: immutable once shared, any
/// thread may read it. Strings come from devices and are untrusted; trailing white space and NULs
/// are cut. Everything that is empty or missing is absent on the device.
struct DeviceFacts {
  /// Names the thing for its life: the canonical syspath (/sys/devices/…), or for DeviceKind::path
  /// the absolute path found, or for DeviceKind::static_name what static_key() says; of the node,
  /// "node".
  std::string key;
  DeviceKind kind = DeviceKind::kernel_device;

  std::string name;  ///< sysname; of a path, its last part; of a static name, that; the node's.
  std::string subsystem;               ///< "net", "block", …; of kernel devices only.
  std::string devtype;                 ///< DEVTYPE: "disk", "usb_device", …
  std::string devnode;                 ///< "/dev/zram0".
  std::optional<DeviceNumber> number;  ///< Of the devnode, or of a path that is a device node.
  std::optional<PathType> path_type;   ///< Of a path only.
  FoundByList found_by;                ///< Of paths, and of what a sysfs pattern found.

  /// The facts that cost something: what WantedFacts and HostQuery::files asked for. Absent and
  /// unreadable ones are missing.
  FactValues known;
  /// Attributes and files that rules ask for and whose read has not ended yet. Fact::file without
  /// an argument: all files.
  std::vector<FactName> unread;

  /// The devices above, nearest first, with what WantedFacts::above asked for.
  std::vector<DeviceFacts> ancestors;

  /// Canonical; empty of a path and of a static name.
  [[nodiscard]] std::string_view syspath() const;

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;
};

/// The values that one fact of a thing has: views into its DeviceFacts.
class Values {
 public:
  explicit Values(std::string_view one = {}) : one_(one) {}
  explicit Values(std::span<const std::string_view> several) : several_(several) {}

  [[nodiscard]] std::span<const std::string_view> all() const {
    return one_.empty() ? several_ : std::span(&one_, 1);
  }
  /// The value, if there is just one; else empty: of several none is the one that is meant.
  [[nodiscard]] std::string_view only() const { return all().size() == 1 ? all().front() : ""; }

 private:
  std::string_view one_;
  std::span<const std::string_view> several_;
};

/// Whatever the fact costs.
[[nodiscard]] Values values_of(const DeviceFacts& facts, Fact fact, std::string_view argument = {});

/// DeviceFacts::key of a static name.
[[nodiscard]] inline std::string static_key(std::string_view name) {
  return "static:" + std::string(name);
}

using DeviceFactsPtr = std::shared_ptr<const DeviceFacts>;

/// Which costly facts to read of one device.
struct WantedFacts {
  bool relevant = false;  ///< No rule can match the device: nothing else is read, it is not kept.
  std::vector<FactName> facts{};     ///< Sorted, without repeats; none that cost nothing.
  std::vector<WantedFacts> above{};  ///< At most one: what to read of each device above.
  /// What is asked for has, or may have, a name that udev gives: of an interface, or of a path.
  bool names_from_udev = false;

  /// Nothing, if the fact costs nothing.
  void add(Fact fact, std::string_view argument = {});
  void add(const WantedFacts& other);
  /// What is wanted of each device above.
  WantedFacts& for_ancestors();
  [[nodiscard]] bool wants(Fact fact) const;
  [[nodiscard]] bool wants(Cost cost) const;
  /// Whether the answer may be another when udev has worked on the device, so that it is not to be
  /// read before. False: the kernel's word is enough.
  [[nodiscard]] bool awaits_udev() const;
};

/// What the rules want to see of the host. Made from a Plan, immutable, shared with pool threads.
struct HostQuery {
  /// Patterns of `sysfs:` and `glob:`, as written, without repeats.
  std::vector<std::string> sysfs_patterns;
  std::vector<std::string> glob_patterns;
  /// The names of `static:`, which are told as they are, without repeats.
  std::vector<std::string> static_names;
  /// Subsystem names and fnmatch patterns that cover every `subsystem:` rule, to enumerate and to
  /// filter events by; empty: no rule looks at kernel devices. {"*"}: any subsystem.
  std::vector<std::string> subsystems;
  /// Rules or templates look at what udev's database holds of a device, or of one above.
  bool databases = false;
  /// Rules look at what it holds of the devices above a device.
  bool databases_above = false;
  /// What rules or probes look at may change with the link of a network interface, of which the
  /// kernel sends no event.
  bool follows_links = false;
  /// Given the facts that cost nothing (kind, key, syspath, name, subsystem, devtype, devnode,
  /// number, path_type, found_by), says what else to read. Pure; called from all threads.
  std::function<WantedFacts(const DeviceFacts& cheap)> wanted;
  /// Given all facts of a thing but its files, the files of the host whose content the rules look
  /// at: absolute paths, sorted, without repeats. Pure; called from all threads. Null: none.
  std::function<std::vector<std::string>(const DeviceFacts&)> files;

  [[nodiscard]] bool follows_devices() const {
    return !subsystems.empty() || !sysfs_patterns.empty();
  }
  [[nodiscard]] bool follows_paths() const { return !glob_patterns.empty() || files != nullptr; }
  /// Whose events it needs, as in EventSource::name.
  [[nodiscard]] std::vector<std::string> event_sources() const;
};

/// Something of the host that does not answer, or cannot be read, so that facts are missing.
struct Unanswered {
  std::string what;                     ///< For people: a path, of a file or an attribute, too.
  std::vector<std::string> patterns{};  ///< That find something there, or cannot tell what.
  std::string key{};                    ///< Of the thing whose facts are missing; empty: of no one,
  DeviceFactsPtr facts{};               ///< and what is known of it; null: not even its kind.
  bool slow = false;                    ///< It may only be slow, and is waited for yet.
  bool refused = false;  ///< It answers: we have no descriptors or memory to read it.
  friend bool operator==(const Unanswered&, const Unanswered&) = default;
};

/// What `when:` wants to know of the node: sorted, without repeats.
struct NodeQuery {
  std::vector<std::string> files{};      ///< Absolute paths.
  std::vector<std::string> globs{};      ///< Patterns as in `glob:`.
  std::vector<std::string> variables{};  ///< Names of our own environment variables.
};
/// And the answer.
struct NodeFacts {
  NamedValues files{};               ///< Content by path; absent and unreadable ones are missing.
  std::vector<std::string> globs{};  ///< Those of the patterns that find something; sorted.
  NamedValues
      unknown{};  ///< Those of the paths and patterns of which nobody knows, with the reason.
  std::vector<std::string> unanswered{};  ///< Those of the unknown that do not answer; sorted.
  int exhaustion_errno =
      0;  ///< The errno, if some of these could not be read for want of descriptors.
  std::vector<std::string>
      watch_paths{};        ///< What to follow to see that another answer would come.
  NamedValues variables{};  ///< Values by name; those that are not set are missing.
};

using HostQueryPtr = std::shared_ptr<const HostQuery>;

}  // namespace patchbay
