#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "health/check_queue.h"
#include "health/check_runner.h"
#include "health/file_triggers.h"
#include "health/path_check.h"
#include "health/path_rounds.h"
#include "health/tracked_unit.h"
#include "inventory/flap_guard.h"
#include "inventory/health_source.h"
#include "loop/event_loop.h"

namespace patchbay::health {

/// Keeps the probes of all units that are offered running, and says how the units are. Loop thread.
class Monitor final : public inventory::HealthSource {
 public:
  static constexpr size_t kMostChecks = 8;

  struct Options {
    size_t most_checks = kMostChecks;  ///< At once.
    /// Each probe and each path is looked at once, and its first result decides.
    bool once = false;
    /// From 0 up to 1: when probes run, within their bounds. Null: by chance.
    std::function<double()> random{};
  };

  /// `on_change`: rate() says something else of some unit than before; many changes in one turn of
  /// the loop are one call. With `once`: everything has been looked at. `files` is null where
  /// changes of files and paths are not followed. All outlive the monitor.
  Monitor(loop::EventLoop& loop, CheckRunner& runner, PathCheck& paths, FileTriggers* files,
          Options options, std::function<void()> on_change);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor() override;

  /// Probes of new units begin to run; of those that are gone or whose checks are others now, no
  /// result counts any more. Does not call `on_change`.
  void rate(const rules::PlanPtr& plan, std::vector<std::vector<inventory::Unit>>& offered,
            loop::Time now) override;

  /// Something happened to the device: looks at the units that hold it at once.
  void device_event(const std::string& key);

  /// Nothing is being looked at or waits for that. With `once`, rate() says nothing before.
  [[nodiscard]] bool idle() const { return queue_.idle() && paths_.idle(); }

 private:
  struct Entry {
    std::unique_ptr<TrackedUnit> unit;
    std::shared_ptr<const inventory::UnitMembers> members;
    uint64_t round = 0;  ///< The last rate() that was told of it.
  };

  Entry& follow(const rules::PlanPtr& plan, size_t resource, const inventory::Unit& unit);
  void set_members(const std::string& key, Entry& entry,
                   std::shared_ptr<const inventory::UnitMembers> members);
  void drop_gone(loop::Time now);
  void changed();
  void ended();

  loop::EventLoop& loop_;
  Options options_;
  std::function<void()> on_change_;
  CheckQueue queue_;
  PathRounds paths_;
  TrackedUnit::Setting setting_;
  uint64_t round_ = 0;
  loop::Subscription soon_;
  /// Of units that were lost: their coming and going counts.
  std::map<std::string, inventory::FlapGuard> guards_;
  std::unordered_map<std::string, std::set<std::string>> holders_;  ///< Units by device.
  std::unordered_map<std::string, Entry> units_;                    ///< By resource and id.
};

}  // namespace patchbay::health
