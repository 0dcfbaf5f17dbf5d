#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/claim_edits.h"
#include "driver/claim_record.h"
#include "driver/claim_store.h"
#include "driver/kube_client.h"
#include "driver/resource_claim_handler.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "steps/step_runner.h"

namespace patchbay::driver {

/// Prepares and releases the ResourceClaims of all drivers of this process, as preparation.h
/// decides. Keeps the records and CDI specs of prepared ones equal to their units, so that a
/// restarted container gets the current device nodes. Loop thread; files are read and written on
/// work threads.
class ClaimPreparer final : public ResourceClaimHandler {
 public:
  /// Time between attempts after the release timeout.
  static constexpr loop::Milliseconds kReleaseRetry{60'000};

  struct Options {
    std::string pool;           ///< The name of the node.
    std::string directory;      ///< The records are here.
    std::string cdi_directory;  ///< The CDI specs are here.
    std::string boot_id;
    paths::HostRoot root;
    std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;
  };
  struct Callbacks {
    /// The unit of a DRA device of a driver, by its name; or why a new ResourceClaim cannot have
    /// it.
    std::function<Result<ClaimUnit>(const std::string& driver, const std::string& device)>
        find_device;
    /// The newest lists of all resources.
    std::function<std::vector<inventory::SnapshotPtr>()> lists;
    /// Whether the configuration has the resource, but its list is not known yet.
    std::function<bool(const std::string& resource)> is_missing;
    std::function<void(const ResourceClaimName&, KubeClient::GotClaim)> get_claim;
    /// stored() has changed.
    std::function<void()> changed;
  };

  /// The references outlive it. The callbacks are called only after load().
  ClaimPreparer(loop::EventLoop& loop, loop::BlockingWork& work, steps::StepRunner& steps,
                Options options, Callbacks callbacks);
  ClaimPreparer(const ClaimPreparer&) = delete;
  ClaimPreparer& operator=(const ClaimPreparer&) = delete;

  /// Reads the records again, except those of served drivers, which only this process changes. A
  /// call during another one begins again, for both.
  void load(std::move_only_function<void(const Result<void>&)> loaded);
  /// Sets the drivers that this process serves: for these it follows units, and repeats failed
  /// releases. Calls for others are errors of the caller.
  void set_served(std::set<std::string> drivers);

  void prepare(const ResourceClaimName& claim, Done done) override;
  void stop_preparing(const std::string& uid) override;
  void unprepare(const ResourceClaimName& claim, Done done) override;

  /// The list of a resource has changed. Renders the prepared ResourceClaims that have its units
  /// again. If a unit is missing or unhealthy, its ResourceClaim keeps the last edits.
  void follow(std::string_view resource);
  /// Writes missing CDI specs of prepared ResourceClaims.
  void restore_specs();

  /// The records of all drivers of the node. Those of drivers that another process serves can be
  /// out of date.
  [[nodiscard]] const StoredClaims& stored() const { return stored_; }
  /// The DRA devices of ResourceClaims of a driver, except those whose release failed. Valid until
  /// the next call.
  [[nodiscard]] std::vector<const RecordedDevice*> devices(std::string_view driver) const;

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  struct Running {
    JobPtr job;
    loop::Subscription work{};       ///< The steps or blocking work that run.
    bool has_steps = false;          ///< `work` is steps of `preStart`.
    bool stopped = false;            ///< stop_preparing() was called.
    bool units_changed = false;      ///< follow() was called meanwhile.
    loop::Task next_call = nullptr;  ///< A call of the kubelet during a job of ours; or null.
  };

  void take(StoredClaims read);
  void finish_load(const Result<void>& loaded);
  void reload_unreadable();
  void call(const std::string& uid, loop::Task task);
  JobPtr begin(const ResourceClaimName& claim, Done done);
  JobPtr begin_own(const ClaimRecord& record, std::string_view failed);
  void end(const JobPtr& job, ClaimOutcome outcome);
  void follow_units(const std::string& uid);
  // Prepare.
  void read_claim(const JobPtr& job);
  void find_units(const JobPtr& job);
  void store_new(const JobPtr& job);
  void run_steps(const JobPtr& job);
  void finish(const JobPtr& job);
  void answer(const JobPtr& job);
  // Unprepare.
  void release(const JobPtr& job);
  [[nodiscard]] Result<void> find_units_to_release(ClaimRecord& record) const;
  void run_release(const JobPtr& ended);
  void release_ended(const JobPtr& job, const Result<void>& result);
  void after_failed_step(const JobPtr& job);
  void end_failed_release(const JobPtr& job);
  void give_up_release(const JobPtr& job);
  void remove(const JobPtr& job);
  void forget(const JobPtr& job);
  void retry_releases();

  /// Runs `blocking` for the ResourceClaim on a work thread, then `next` if it succeeded.
  void blocking(const JobPtr& job, std::move_only_function<Result<void>()> blocking,
                void (ClaimPreparer::*next)(const JobPtr&));
  void store(const ClaimRecord& record);
  [[nodiscard]] bool serves(const ClaimRecord& record) const {
    return served_.contains(record.driver);
  }

  loop::EventLoop& loop_;
  loop::BlockingWork& work_;
  steps::StepRunner& steps_;
  const std::shared_ptr<const Options> options_;
  const Callbacks callbacks_;
  const std::shared_ptr<const ClaimStore> store_;
  StoredClaims stored_;
  std::set<std::string> served_;
  loop::Subscription loading_;
  std::vector<std::move_only_function<void(const Result<void>&)>>
      loads_;  ///< The callbacks of load().
  loop::Subscription release_retry_;
  std::map<std::string, Running> running_;  ///< By uid.
  loop::WeakSelf<ClaimPreparer> weak_self_{this};
};

}  // namespace patchbay::driver
