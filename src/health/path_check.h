#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/host_files.h"
#include "inventory/unit_checks.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// What is wrong with paths, for people: `does not exist`. Those that are right are missing.
using PathFaults = std::map<std::string, std::string>;

/// A path to look at.
struct PathQuery {
  inventory::NeededPath needed;
  bool way = false;  ///< It is also asked which places lead there.
};

/// What was found.
struct PathsSeen {
  PathFaults faults;
  /// host::way_to() each whose way was asked and that answered.
  std::map<std::string, std::vector<host::FilePlace>> ways;
};

/// Looks whether the host has what containers need. Loop thread; the looking runs elsewhere.
class PathCheck {
 public:
  using Done = std::move_only_function<void(PathsSeen)>;

  /// `threads` outlives this.
  [[nodiscard]] static std::unique_ptr<PathCheck> create(loop::WorkThreads& threads,
                                                         host::HostRoot root);
  virtual ~PathCheck() = default;

  /// Links are followed. `done` is called once, later. A path that does not answer for `timeout` is
  /// at fault, and is not looked at again while it hangs. To end the Subscription is to hear
  /// nothing.
  [[nodiscard]] virtual loop::Subscription run(std::vector<PathQuery> queries,
                                               loop::Milliseconds timeout, Done done) = 0;
};

}  // namespace patchbay::health
