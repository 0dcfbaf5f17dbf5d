#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/claim_edits.h"
#include "driver/claim_record.h"
#include "driver/kube_client.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::driver {

/// Gathers the lists of all resources with `serve: dra` into the pool of the driver, and publishes
/// it. The order is that of the configuration, then of the ids. A unit that
/// is unhealthy or in no list is published only while a ResourceClaim has it, as its record says.
/// The kubelet and the scheduler look up allocated devices in the slices.
///
/// Each publication is a write to the API server's database. The first kBurst are sent at once;
/// later ones follow at a rate of one per kPeriod, each with all changes until then. The first list
/// of a resource does not count. Loop thread.
class Pool {
 public:
  static constexpr size_t kBurst = 5;
  static constexpr loop::Milliseconds kPeriod{6000};

  struct Callbacks {
    /// Sends the pool, and returns its number: see KubeClient::publish().
    std::function<int64_t(PoolSlices)> publish;
    /// acknowledged() of a resource has changed. May be called within a call of the pool.
    std::function<void()> acknowledged;
    /// The DRA devices of all ResourceClaims. The pool uses the result at once.
    std::function<std::vector<const RecordedDevice*>()> prepared;
  };

  Pool(loop::EventLoop& loop, Callbacks callbacks)
      : loop_(loop), callbacks_(std::move(callbacks)) {}

  /// Sets the plan, whose order of resources is that of the DRA devices.
  void set_plan(rules::PlanPtr plan);
  /// Sets the list of a resource.
  void set(inventory::SnapshotPtr list);
  /// Removes a resource. `removed` is called, never during this call, when the stored slices have
  /// none of its devices but those of ResourceClaims.
  void remove(const std::string& resource, std::function<void()> removed);
  /// The result of Callbacks::prepared has changed.
  void claims_changed() { schedule(false); }

  /// The API server has stored the pool with this number.
  void stored(int64_t number);

  /// The newest stored list of a resource; null if there is none.
  [[nodiscard]] inventory::SnapshotPtr acknowledged(const std::string& resource) const;
  /// The unit of a DRA device, also of one that is not published; null without one.
  [[nodiscard]] std::optional<ClaimUnit> find(std::string_view device) const;

 private:
  using Lists = std::map<std::string, inventory::SnapshotPtr>;  ///< By resource.

  void schedule(bool first);
  void update();
  void refill();
  [[nodiscard]] PoolSlices slices() const;

  loop::EventLoop& loop_;
  const Callbacks callbacks_;
  rules::PlanPtr plan_;
  Lists lists_;
  Lists acknowledged_;
  std::map<int64_t, Lists> sent_;  ///< By number: publications without an answer.
  std::map<std::string, std::function<void()>> removed_;  ///< Waiting remove() calls, by resource.
  PoolSlices last_;                                       ///< The last publication.
  size_t tokens_ = kBurst;
  bool first_ = false;    ///< A change needs no token.
  bool waiting_ = false;  ///< A change waits for a token.
  loop::Subscription updating_;
  loop::Subscription refill_;
};

}  // namespace patchbay::driver
