#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "daemon/change_log.h"
#include "daemon/publisher.h"
#include "daemon/sink.h"
#include "inventory/resolution.h"
#include "loop/event_loop.h"
#include "status/counters.h"
#include "status/registration_status.h"

namespace patchbay::daemon {

/// Offers one resource, through one or more sinks. It owns the state that outlives configurations:
/// the sinks and the change log. Loop thread.
class Offer {
 public:
  /// `sinks` is not empty. The first one is the device plugin: see status().
  Offer(loop::EventLoop& loop, std::vector<std::unique_ptr<Sink>> sinks,
        std::shared_ptr<status::ResourceCounters> counters);
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  /// Takes the new state of the resource. `at_once`: it is sent without waiting for `settle`.
  /// `edited`: a new plan caused it.
  void update(const inventory::ResolvedResource& resource, bool at_once = false,
              bool edited = false);
  /// The last list given to the sinks; null: none.
  [[nodiscard]] const inventory::SnapshotPtr& last_sent() const { return publisher_.sent(); }

  /// Withdraws the resource from all sinks. `withdrawn` is called once, later. Destroy the Offer
  /// then.
  void withdraw(loop::Task withdrawn);

  /// Whether all sinks serve the resource.
  [[nodiscard]] bool served() const;
  /// The status of the first sink.
  [[nodiscard]] status::RegistrationStatus status() const { return sinks_.front()->status(); }
  /// See ChangeLog::lost().
  [[nodiscard]] const std::vector<status::LostUnit>& lost() const { return change_log_.lost(); }

 private:
  void send(const inventory::SnapshotPtr& list);

  inventory::SnapshotPtr last_;  ///< Last snapshot given to update().
  ChangeLog change_log_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  Publisher publisher_;
  bool edited_ = false;     ///< The next list to send is of a new plan.
  size_t withdrawing_ = 0;  ///< Number of sinks that are not withdrawn yet.
  loop::Task withdrawn_;
};

}  // namespace patchbay::daemon
