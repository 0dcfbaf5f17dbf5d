#pragma once

#include <map>
#include <string>
#include <vector>

#include "standin/kubelet.h"

namespace patchbay::cli {

/// The lists a kubelet has got, and what each new one changed, as text for people. NUMA nodes are
/// shown of units that have some. One thread.
class ListPrinter {
 public:
  using List = std::map<std::string, standin::ListedDevice>;  ///< By id.

  /// "lab.example.com/nic: 2 units" and a line each for a first list, then only lines for units
  /// that came (+), went (-), or changed health or nodes (~). Empty when nothing changed.
  [[nodiscard]] std::string changed(const std::string& resource,
                                    const std::vector<standin::ListedDevice>& devices);
  /// The stream has ended: the next list is a first one.
  void ended(const std::string& resource) { lists_.erase(resource); }
  /// Every list as a table.
  [[nodiscard]] std::string table() const;
  /// The newest list; empty without one.
  [[nodiscard]] const List& list_of(const std::string& resource) const;
  /// All of them, by resource.
  [[nodiscard]] const std::map<std::string, List>& lists() const { return lists_; }

 private:
  std::map<std::string, List> lists_;
};

}  // namespace patchbay::cli
