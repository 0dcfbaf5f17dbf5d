#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"

namespace patchbay::bench {

/// A device or file that the kernel reported.
struct Thing {
  std::string name;
  std::string path;           ///< A device's directory in /sys, or a file.
  std::string_view uevent{};  ///< The kernel's message; empty for a file or an existing device.
};

/// The work of a plugin on new and removed devices, and on allocations, before it answers. This
/// class does none.
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual void came(const Thing& /*thing*/) {}
  virtual void went(const Thing& /*thing*/) {}
  /// Called after a batch of simultaneous changes.
  virtual void decide() {}
  /// On any thread.
  virtual void give(const std::vector<std::string>& /*ids*/,
                    v1beta1::AllocateResponse& /*answer*/) {}
};

/// Checks new devices and allocated ones. It asks the kernel for the same minimum as the daemon
/// does if nothing can hang.
class Looking : public Chooser {
 public:
  /// The directory of the nodes.
  explicit Looking(std::string directory) : directory_(std::move(directory)) {}
  void came(const Thing& thing) override;
  void give(const std::vector<std::string>& ids, v1beta1::AllocateResponse& answer) override;

 private:
  std::string directory_;
};

}  // namespace patchbay::bench
