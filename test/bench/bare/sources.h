#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "bench/bare/chooser.h"
#include "proto/deviceplugin_v1beta1.pb.h"

namespace patchbay::bench {

/// The units, kept as the message to send.
class Units {
 public:
  void add(const std::string& name) {
    if (!names_.insert(name).second) return;
    v1beta1::Device* device = list_.add_devices();
    device->set_id(name);
    device->set_health("Healthy");
  }
  void remove(const std::string& name) {
    if (names_.erase(name) == 0) return;
    // Searches from the end, where the newest units are.
    for (int at = list_.devices_size() - 1; at >= 0; --at) {
      if (list_.devices(at).id() != name) continue;
      list_.mutable_devices()->DeleteSubrange(at, 1);
      return;
    }
  }
  [[nodiscard]] const v1beta1::ListAndWatchResponse& list() const { return list_; }

 private:
  std::unordered_set<std::string> names_;
  v1beta1::ListAndWatchResponse list_;
};

/// A source of units; the thread of one stream owns it.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual int fd() const = 0;
  /// Adds the existing units.
  virtual void fill(Units& units) = 0;
  /// Processes all queued events of the kernel. Returns whether a unit appeared or disappeared.
  virtual bool take(Units& units) = 0;
};

/// Units from uevents: the devices of a subsystem whose names match the pattern.
[[nodiscard]] std::unique_ptr<Source> devices(const std::string& subsystem,
                                              const std::string& pattern, Chooser& chooser);
/// Units from inotify: the files of a directory.
[[nodiscard]] std::unique_ptr<Source> files(const std::string& directory, Chooser& chooser);

}  // namespace patchbay::bench
