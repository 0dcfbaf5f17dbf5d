#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "health/needed_paths.h"
#include "health/repeated_check.h"
#include "host/file_trigger.h"
#include "inventory/make_unit.h"
#include "inventory/unit_checks.h"
#include "inventory/unit_health.h"
#include "loop/event_loop.h"
#include "model/check.h"
#include "paths/path_follower.h"
#include "rules/plan/plan.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::health {

/// Determines the health of one unit with its probes and the paths that it needs. Loop thread.
class TrackedUnit final : private PathUser {
 public:
  /// The values that all units share. The Context outlives the units.
  struct Context {
    RepeatedCheck::Context checks;
    NeededPaths& paths;
    paths::PathFollower* files;     ///< Null: changes of files are not followed.
    status::Counters* counters;     ///< Null: no counters.
    std::function<void()> changed;  ///< Called when the health of a unit has changed.
    /// Called when a path of a unit leads to another device.
    std::function<void(const TrackedUnit&)> path_target_changed;
  };

  /// `unit` is a unit of `resource`. Its probes start at once.
  TrackedUnit(const Context& context, rules::ResourcePlanPtr resource,
              const inventory::MadeUnit& unit);
  TrackedUnit(const TrackedUnit&) = delete;
  TrackedUnit& operator=(const TrackedUnit&) = delete;
  ~TrackedUnit() override;

  /// Whether `unit`, which has the same id, has the same checks. Then this object can be kept.
  [[nodiscard]] bool has_same_checks(const rules::ResourcePlanPtr& resource,
                                     const inventory::MadeUnit& unit);

  /// Runs all probes and path checks at once, after an event of one of the unit's devices.
  void refresh();

  [[nodiscard]] inventory::Health health() const { return health_.health(); }
  /// Counts the probes that are running or overdue at that time. `each` adds the state of each
  /// probe.
  void describe(status::ProbesStatus& status, bool each, loop::Time now) const;

 private:
  /// A probe of the unit.
  struct Probe {
    std::unique_ptr<RepeatedCheck> check;
    uint64_t run = 0;               ///< Number of the last run.
    std::optional<uint64_t> found;  ///< With `trigger`: a hash of the last result.
    std::optional<status::ProbeResult> last;
    /// Runs the probe when a file that the probe reads has changed. Null if files are not followed.
    std::unique_ptr<host::FileTrigger> trigger;
  };

  [[nodiscard]] const rules::GroupPlan& group() const;
  [[nodiscard]] const rules::ProbePlan& plan_of(size_t probe) const;
  void add_probe(size_t probe);
  void probe_done(size_t probe, const CheckResult& result, RepeatedCheck::Trigger cause);
  [[nodiscard]] bool is_new_result(size_t probe, const CheckResult& result,
                                   RepeatedCheck::Trigger cause);
  void apply_result(size_t probe, const CheckResult& result);
  void store_result(size_t probe, const rules::Verdict& verdict);
  void count(size_t probe, const status::ProbeResult& result) const;
  void warn(size_t probe, const CheckResult& result) const;
  void paths_changed() override;
  [[nodiscard]] std::vector<std::string> path_faults() const;

  const Context& context_;
  rules::ResourcePlanPtr resource_;
  std::string id_;
  size_t group_;
  std::shared_ptr<const inventory::UnitChecks> checks_;
  /// The last arguments for which has_same_checks() was true.
  rules::ResourcePlanPtr same_resource_;
  std::shared_ptr<const inventory::UnitChecks> same_checks_;
  inventory::UnitHealth health_;
  std::vector<Probe> probes_;
  bool is_misdirected_ = false;  ///< Whether a path leads to another device.
};

}  // namespace patchbay::health
