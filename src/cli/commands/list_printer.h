#pragma once

#include <map>
#include <string>
#include <vector>

#include "standin/kubelet.h"

namespace patchbay::cli {

/// Prints the device lists of a kubelet and their changes, for people. Units with NUMA nodes show
/// them. One thread.
class ListPrinter {
 public:
  /// For the first list: "lab.example.com/nic: 2 units" and a line for each unit. Then only lines
  /// for units that are new (+), removed (-), or changed in health or NUMA nodes (~). Empty without
  /// changes.
  [[nodiscard]] std::string changed(const std::string& resource,
                                    const std::vector<standin::ListedDevice>& devices);
  /// Called when the stream has ended: the next list is a first one.
  void ended(const std::string& resource) { lists_.erase(resource); }

 private:
  using List = std::map<std::string, standin::ListedDevice>;  ///< By id.

  std::map<std::string, List> lists_;
};

}  // namespace patchbay::cli
