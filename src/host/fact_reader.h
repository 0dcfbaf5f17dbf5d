#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "host/device_properties.h"
#include "host/host_root.h"
#include "host/nonblocking_stat.h"
#include "host/nonblocking_sysfs.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// One thing to look at.
struct Target {
  std::string key;
  FoundByList found_by{};  ///< Which patterns found it.
  bool by_glob = false;    ///< One of them is of a `glob:` rule,
  bool by_sysfs = false;   ///< or of a `sysfs:` rule.
  /// Udevd is busy: a device that it has not seen is not to be told, if its facts await udev.
  bool defer_uninitialised = false;
  /// When it was heard that something happened to it; none: it is only looked at again.
  std::optional<loop::Time> event_time{};
  /// A glance at it did not do: see FactReader::glance().
  bool cached_read_failed = false;
  /// A person asks: read it although no rule may look at it.
  bool ignore_rules = false;
};

/// What was found there.
struct Reading {
  DeviceFactsPtr facts{};    ///< None: it is not there, or no rule looks at it.
  int exhaustion_errno = 0;  ///< The errno of a want of room; else 0. All else means nothing then.
  bool deferred = false;     ///< It is there but udev has not seen it; see hold_uninitialised.
  std::string record_id{};   ///< The name of its record in udev's database, where it has one.
  std::vector<std::string> files{};  ///< What HostQuery::files asked for, there or not.
  loop::Milliseconds took{};
  std::optional<loop::Time> event_time{};  ///< Target::heard
  bool is_link = false;  ///< Of a path: a symbolic link stands there, whatever it leads to.
};

/// What a reader reads now, for who waits for it. Any thread.
class ReadProgress {
 public:
  struct State {
    std::string what;        ///< For people: a path, or the attribute of a device.
    DeviceFactsPtr facts{};  ///< What is known of the thing by then; null: only its key.
  };
  void begin(const std::string& key);
  void set_facts(const DeviceFacts& facts);
  void set_item(std::string what);
  [[nodiscard]] State state() const;

 private:
  mutable std::mutex mutex_;
  State state_;  // Guarded by mutex_.
};

/// Reads facts: the cheap ones, then what the query wants for them. Blocking, and may hang: one
/// reader per job, since it holds a udev context. udev is asked for nothing but its database.
class FactReader {
 public:
  /// `sysfs` is another directory than /sys in tests only: udev's database knows no other.
  FactReader(HostQueryPtr query, HostRoot root, const std::string& sysfs = "/sys",
             ReadProgress* progress = nullptr);

  [[nodiscard]] Reading read(const Target& target);

  /// The same where nothing can hang: of a path that is no link, in the kernel's memory, on a file
  /// system that always answers, if no rule looks into its files. None: it is to be read. Any
  /// thread.
  [[nodiscard]] std::optional<Reading> try_read_cached(const Target& target,
                                                       const NonblockingStat& at) const;
  /// The same of a device of which the kernel has just told all that costs nothing, if all else
  /// that the query wants stands in its memory, and no driver is asked.
  [[nodiscard]] std::optional<Reading> try_read_from_event(const Target& target,
                                                           const DeviceFacts& event_facts,
                                                           const NonblockingSysfs& sysfs) const;
  /// Whether it depends on what stands there, and where, alone, but for files that rules look into.
  /// Any thread.
  [[nodiscard]] bool can_try_cached(const Target& target) const;

 private:
  [[nodiscard]] bool may_be_device(const Target& target) const;
  /// Kernel devices and directories of /sys.
  Reading read_sysfs(const Target& target);
  [[nodiscard]] Reading read_path(const Target& target) const;
  [[nodiscard]] static DeviceFacts path_facts(const Target& target, const HostRoot::Status& status);
  /// The facts are all there but for the files.
  void finish(Reading& reading, DeviceFacts facts) const;
  void read_wanted(const WantedFacts& wanted, DeviceFacts& facts);
  /// Everything but attributes, which a driver may answer late.
  [[nodiscard]] std::vector<FactValue> read_quick(const WantedFacts& wanted,
                                                  const DeviceFacts& facts);
  /// Adds the attributes. Notes before that what is known without them, unless other devices are
  /// read as well.
  void read_attributes_of(const WantedFacts& wanted, bool alone, DeviceFacts& facts,
                          std::vector<FactValue>& found) const;
  [[nodiscard]] std::optional<FactValues> try_read_known(const WantedFacts& wanted,
                                                         const std::string& syspath) const;
  void read_ancestors(const WantedFacts& wanted, DeviceFacts& facts);
  /// What udev's database has of a device; null if the device is gone.
  DevicePtr find_record(const std::string& syspath);

  void report_facts(const DeviceFacts& facts) const {
    if (progress_ != nullptr) progress_->set_facts(facts);
  }
  void report_item(const std::string& what) const {
    if (progress_ != nullptr) progress_->set_item(what);
  }

  HostQueryPtr query_;
  HostRoot root_;
  ReadProgress* progress_;  ///< Or null.
  std::string devices_;     ///< The top of the device tree: /sys/devices.
  UdevPtr udev_;            ///< Made at the first need.
};

/// Where udevd keeps its control socket, its queue marker, and its database in `data`.
inline constexpr const char* kUdevDirectory = "/run/udev";

}  // namespace patchbay::host
