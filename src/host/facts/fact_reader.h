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
  bool by_glob = false;    ///< Some of them are of `glob:` rules.
  bool by_sysfs = false;   ///< Some of them are of `sysfs:` rules.
  /// Set while udevd is busy. If the facts of a device depend on udev, and the device has no record
  /// in udev's database, its read is deferred.
  bool defer_uninitialised = false;
  /// When the event that caused this read was received. Null for a rescan.
  std::optional<loop::Time> event_time{};
  /// FactReader::try_read_cached() failed for this target.
  bool cached_read_failed = false;
  /// Read the entity even if no rule can match it, because a user asks about it.
  bool ignore_rules = false;
};

/// The result of a read.
struct Reading {
  DeviceFactsPtr facts{};  ///< Null: the entity does not exist, or no rule can match it.
  /// Errno of resource exhaustion. 0 if the other fields are valid.
  int exhaustion_errno = 0;
  bool deferred = false;  ///< See Target::defer_uninitialised.
  /// Name of the record in udev's database. Empty if there is none.
  std::string record_id{};
  std::vector<std::string> files{};  ///< Files that HostQuery::files asked for, existing or not.
  loop::Milliseconds took{};
  std::optional<loop::Time> event_time{};  ///< Copy of Target::event_time.
  bool is_link = false;  ///< The path itself is a symbolic link, whatever its target.
};

/// Lets another thread see what a reader is reading. Any thread.
class ReadProgress {
 public:
  struct State {
    std::string what;        ///< Path or attribute being read, for messages.
    DeviceFactsPtr facts{};  ///< Facts known so far. Null if only the key is known.
  };
  void begin(const std::string& key);
  void set_facts(const DeviceFacts& facts);
  void set_item(std::string what);
  [[nodiscard]] State state() const;

 private:
  mutable std::mutex mutex_;
  State state_;  // Guarded by mutex_.
};

/// Reads the facts of entities: first those without a cost (Cost::none), then those that the query
/// wants. Blocking, and may hang. Each job has its own reader, because a reader uses a libudev
/// context, which only one thread may use.
class FactReader {
 public:
  /// `sysfs` differs from /sys only in tests: udev's database knows no other directory.
  FactReader(HostQueryPtr query, paths::HostRoot root, const std::string& sysfs = "/sys",
             ReadProgress* progress = nullptr);

  [[nodiscard]] Reading read(const Target& target);

  /// Reads a path without blocking. Returns null if a blocking read is needed. Such a read is
  /// needed for a link, for a path that is not in the kernel's caches, and on an unreliable file
  /// system. It is also needed if rules compare files for the path. Any thread.
  [[nodiscard]] std::optional<Reading> try_read_cached(const Target& target,
                                                       const paths::NonblockingStat& at) const;
  /// Reads a device without blocking. `event_facts` are the facts in the device's uevent. Returns
  /// null if a blocking read is needed, because another wanted fact may need a driver or is not in
  /// the kernel's memory.
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
  /// Reads the files for `facts`, which has all other facts, and stores the result in `reading`.
  void finish(Reading& reading, DeviceFacts facts) const;
  void read_wanted(const WantedFacts& wanted, DeviceFacts& facts);
  /// Reads all facts except attributes, which a driver may delay.
  [[nodiscard]] std::vector<FactValue> read_quick(const WantedFacts& wanted,
                                                  const DeviceFacts& facts);
  /// Reads attributes into `found`. `alone`: no ancestors are read. In this case, the facts known
  /// so far are first reported to progress_.
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
