#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"

namespace patchbay::bench {

/// What the kernel told of.
struct Thing {
  std::string name;
  std::string path;           ///< A device's directory in /sys, or a file.
  std::string_view uevent{};  ///< The kernel's message; empty: of a file, or of what was there.
};

/// What a plugin does about what comes and goes, and about what it gives away, before it says so.
/// This one does nothing.
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual void came(const Thing& /*thing*/) {}
  virtual void went(const Thing& /*thing*/) {}
  /// All that came or went at once has been told.
  virtual void decide() {}
  /// On any thread.
  virtual void give(const std::vector<std::string>& /*ids*/,
                    v1beta1::AllocateResponse& /*answer*/) {}
};

/// Looks at what comes and at what it gives away, as who must know what that is: it asks the kernel
/// as the daemon does at least, where nothing can hang.
class Looking : public Chooser {
 public:
  /// Where the nodes are.
  explicit Looking(std::string directory) : directory_(std::move(directory)) {}
  void came(const Thing& thing) override;
  void give(const std::vector<std::string>& ids, v1beta1::AllocateResponse& answer) override;

 private:
  std::string directory_;
};

}  // namespace patchbay::bench
