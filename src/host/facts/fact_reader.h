#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"
#include "host/facts/nonblocking_sysfs.h"
#include "host/facts/udev_record.h"
#include "loop/event_loop.h"
#include "model/facts.h"
#include "paths/host_root.h"
#include "paths/nonblocking_stat.h"

namespace patchbay::host {

/// An entity to read: a device, a sysfs directory, a path or a static name.
struct Target {
  std::string key;
  FoundByList found_by{};  ///< The patterns that find it.
  bool by_glob = false;    ///< A `glob:` rule is among them.
  bool by_sysfs = false;   ///< A `sysfs:` rule is among them.
  /// udevd is busy: a device without a record in udev's database is not reported yet, if its facts
  /// depend on udev.
  bool defer_uninitialised = false;
  /// When the event that caused this read was received. Null: a rescan.
  std::optional<loop::Time> event_time{};
  /// The nonblocking read failed: see FactReader::try_read_cached().
  bool cached_read_failed = false;
  /// A person asks: read it even if no rule can match it.
  bool ignore_rules = false;
};

/// The result of a read.
struct Reading {
  DeviceFactsPtr facts{};            ///< Null: it does not exist, or no rule can match it.
  int exhaustion_errno = 0;          ///< Errno of resource exhaustion. 0: other fields are valid.
  bool deferred = false;             ///< It has no record: see defer_uninitialised.
  std::string record_id{};           ///< Name of its record in udev's database, if it has one.
  std::vector<std::string> files{};  ///< Files that HostQuery::files asked for, existing or not.
  loop::Milliseconds took{};
  std::optional<loop::Time> event_time{};  ///< Copy of Target::event_time.
  bool is_link = false;  ///< The path itself is a symbolic link, whatever its target.
};

/// Shows a waiting thread what a reader reads now. Any thread.
class ReadProgress {
 public:
  struct State {
    std::string what;        ///< Path or attribute being read, for messages.
    DeviceFactsPtr facts{};  ///< Facts known so far. Null: only the key is known.
  };
  void begin(const std::string& key);
  void set_facts(const DeviceFacts& facts);
  void set_item(std::string what);
  [[nodiscard]] State state() const;

 private:
  mutable std::mutex mutex_;
  State state_;  // Guarded by mutex_.
};

/// Reads the facts of entities: first the cheap ones, then those that the query wants for them.
/// Blocking, and may hang. One reader per job, because it holds a udev context. It uses udev's
/// database, and nothing else of udev.
class FactReader {
 public:
  /// `sysfs` differs from /sys only in tests: udev's database knows no other directory.
  FactReader(HostQueryPtr query, paths::HostRoot root, const std::string& sysfs = "/sys",
             ReadProgress* progress = nullptr);

  [[nodiscard]] Reading read(const Target& target);

  /// Reads a path without blocking, if it is not a link, is in the kernel's caches and is on a
  /// reliable file system. Rules must not compare its files. Null: a blocking read is needed. Any
  /// thread.
  [[nodiscard]] std::optional<Reading> try_read_cached(const Target& target,
                                                       const paths::NonblockingStat& at) const;
  /// Reads a device without blocking, from the cheap facts of its uevent. Works if every other
  /// wanted fact is in the kernel's memory and needs no driver. Null: a blocking read is needed.
  [[nodiscard]] std::optional<Reading> try_read_from_event(const Target& target,
                                                           const DeviceFacts& event_facts,
                                                           const NonblockingSysfs& sysfs) const;
  /// Whether try_read_cached() may succeed: only `glob:` rules find the path, and it cannot be a
  /// device. Any thread.
  [[nodiscard]] bool can_try_cached(const Target& target) const;

 private:
  [[nodiscard]] bool may_be_device(const Target& target) const;
  /// Reads kernel devices and directories of /sys.
  Reading read_sysfs(const Target& target);
  [[nodiscard]] Reading read_path(const Target& target) const;
  [[nodiscard]] static DeviceFacts path_facts(const Target& target,
                                              const paths::HostRoot::Status& status);
  /// Reads the files of `facts`, which are complete otherwise, and stores all in `reading`.
  void finish(Reading& reading, DeviceFacts facts) const;
  void read_wanted(const WantedFacts& wanted, DeviceFacts& facts);
  /// Reads all facts except attributes, which a driver may delay.
  [[nodiscard]] std::vector<FactValue> read_quick(const WantedFacts& wanted,
                                                  const DeviceFacts& facts);
  /// Adds the attributes. If no ancestors are read, publishes the facts known so far first.
  void read_attributes_of(const WantedFacts& wanted, bool alone, DeviceFacts& facts,
                          std::vector<FactValue>& found) const;
  [[nodiscard]] std::optional<FactValues> try_read_known(const WantedFacts& wanted,
                                                         const std::string& syspath) const;
  void read_ancestors(const WantedFacts& wanted, DeviceFacts& facts);
  void report_facts(const DeviceFacts& facts) const {
    if (progress_ != nullptr) progress_->set_facts(facts);
  }
  void report_item(const std::string& what) const {
    if (progress_ != nullptr) progress_->set_item(what);
  }

  HostQueryPtr query_;
  paths::HostRoot root_;
  ReadProgress* progress_;  ///< May be null.
  DeviceTree tree_;
  UdevRecords records_;
};

}  // namespace patchbay::host
