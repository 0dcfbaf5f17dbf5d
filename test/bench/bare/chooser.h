#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"

namespace patchbay::bench {

/// A device or file that the kernel reported.
struct Entity {
  std::string name;
  std::string path;           ///< A device's directory in /sys, or a file.
  std::string_view uevent{};  ///< The kernel's message; empty for a file or an existing device.
};

/// The work of a plugin on new and removed devices, and on allocations, before it answers. This
/// class does none.
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual void added(const Entity& /*entity*/) {}
  virtual void removed(const Entity& /*entity*/) {}
  /// Called after a batch of simultaneous changes.
  virtual void decide() {}
  /// On any thread.
  virtual void give(const std::vector<std::string>& /*ids*/,
                    v1beta1::AllocateResponse& /*answer*/) {}
};

/// Stats new and allocated devices, with the same system calls as the daemon if no path can hang.
class StatChooser : public Chooser {
 public:
  /// The directory of the nodes.
  explicit StatChooser(std::string directory) : directory_(std::move(directory)) {}
  void added(const Entity& entity) override;
  void give(const std::vector<std::string>& ids, v1beta1::AllocateResponse& answer) override;

 private:
  std::string directory_;
};

}  // namespace patchbay::bench
