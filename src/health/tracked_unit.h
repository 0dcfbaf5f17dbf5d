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

/// Determines the health of one unit during its lifetime. Loop thread.
class TrackedUnit final : private PathUser {
 public:
  /// Shared by all units; outlives them.
  struct Context {
    RepeatedCheck::Context checks;
    NeededPaths& paths;
    paths::PathFollower* files;     ///< Null: changes of files are not followed.
    status::Counters* counters;     ///< Null: no counters.
    std::function<void()> changed;  ///< The health of a unit changed.
    /// A path of a unit leads to another device now.
    std::function<void(const TrackedUnit&)> path_target_changed;
  };

  /// `unit` belongs to the resource.
  TrackedUnit(const Context& context, rules::ResourcePlanPtr resource,
              const inventory::MadeUnit& unit);
  TrackedUnit(const TrackedUnit&) = delete;
  TrackedUnit& operator=(const TrackedUnit&) = delete;
  ~TrackedUnit() override;

  /// Whether the checks are the same for `unit`, which has the same id.
  [[nodiscard]] bool has_same_checks(const rules::ResourcePlanPtr& resource,
                                     const inventory::MadeUnit& unit);

  /// An event of one of its devices: checks at once.
  void refresh();

  [[nodiscard]] inventory::Health health() const { return health_.health(); }
  /// Counts its probes that are running or overdue at that time. `each`: adds the state of each
  /// one.
  void describe(status::ProbesStatus& status, bool each, loop::Time now) const;

 private:
  /// A probe of the unit.
  struct Probe {
    std::unique_ptr<RepeatedCheck> check;
    uint64_t run = 0;               ///< Number of the last run.
    std::optional<uint64_t> found;  ///< A hash of the last result, if needed.
    std::optional<status::ProbeResult> last;
    /// For a probe that reads files, if their changes are followed.
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
  /// Last arguments for which has_same_checks() was true.
  rules::ResourcePlanPtr same_resource_;
  std::shared_ptr<const inventory::UnitChecks> same_checks_;
  inventory::UnitHealth health_;
  std::vector<Probe> probes_;
  bool is_misdirected_ = false;  ///< A path leads to another device.
};

}  // namespace patchbay::health
