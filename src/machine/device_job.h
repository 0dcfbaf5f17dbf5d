#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "host/facts/device_tree.h"
#include "machine/machine.h"

namespace patchbay::machine {

/// Whether an attribute with that name is a secret, which is never recorded.
[[nodiscard]] bool is_secret(std::string_view name);

/// Reads one device for a Recording. run() may hang; call the other functions on another thread.
class DeviceJob {
 public:
  /// `syspath` is that of a device, or of a directory above devices.
  DeviceJob(host::DeviceTree tree, std::string syspath);

  void run();

  /// Waits until run() has read all. Returns false if the read of a file did not end within
  /// loop::kHungAfter.
  [[nodiscard]] bool wait();
  /// The data that run() has read so far.
  [[nodiscard]] Device device() const;
  /// The file that is being read.
  [[nodiscard]] std::string current() const;

 private:
  template <typename Change>
  void update(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(device_);
  }
  void begin(const std::string& file);
  void read_identity();
  void read_record();
  void read_directory(const std::string& directory, const std::string& prefix, int level);
  void read_attribute(const std::string& path, const std::string& name);
  void read_link(const std::string& path, const std::string& name);

  const host::DeviceTree tree_;
  const std::string syspath_;
  mutable std::mutex mutex_;
  Device device_;        // Guarded by mutex_.
  std::string current_;  // Guarded by mutex_.
  size_t files_ = 0;     // Guarded by mutex_: number of files that were begun.
  bool done_ = false;    // Guarded by mutex_.
  std::condition_variable changed_;
};

}  // namespace patchbay::machine
