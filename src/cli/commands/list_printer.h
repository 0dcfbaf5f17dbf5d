#pragma once

#include <map>
#include <string>
#include <vector>

#include "standin/kubelet.h"

namespace patchbay::cli {

/// Formats the device lists that a kubelet gets, and their changes, for people. The line of a unit
/// also has the NUMA nodes of the unit, if any. One thread.
class ListPrinter {
 public:
  /// Returns the text for a new list. For the first list of a resource, that is
  /// "lab.example.com/nic: 2 units" and a line for each unit. Later it is only lines for units that
  /// are new (+), removed (-), or changed in health or NUMA nodes (~). Empty if nothing changed.
  [[nodiscard]] std::string changed(const std::string& resource,
                                    const std::vector<standin::ListedDevice>& devices);
  /// Notes that the stream has ended: the next list is a first one.
  void ended(const std::string& resource) { lists_.erase(resource); }

 private:
  using List = std::map<std::string, standin::ListedDevice>;  ///< By id.

  std::map<std::string, List> lists_;
};

}  // namespace patchbay::cli
