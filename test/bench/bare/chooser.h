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

/// The work that a plugin does for new and removed devices and for allocations. This class does
/// none.
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual void added(const Entity& /*entity*/) {}
  virtual void removed(const Entity& /*entity*/) {}
  /// Called after a batch of simultaneous changes.
  virtual void decide() {}
  /// Adds to the answer of Allocate. Called on any thread.
  virtual void give(const std::vector<std::string>& /*ids*/,
                    v1beta1::AllocateResponse& /*answer*/) {}
};

/// Stats new and allocated devices, with the system calls that the daemon uses for paths that
/// cannot hang.
class StatChooser : public Chooser {
 public:
  /// `directory` has the paths of the units.
  explicit StatChooser(std::string directory) : directory_(std::move(directory)) {}
  void added(const Entity& entity) override;
  void give(const std::vector<std::string>& ids, v1beta1::AllocateResponse& answer) override;

 private:
  std::string directory_;
};

}  // namespace patchbay::bench
