#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/claim_edits.h"
#include "driver/claim_record.h"
#include "driver/claim_store.h"
#include "driver/kube_client.h"
#include "driver/pool.h"
#include "driver/resource_claim_handler.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "steps/step_runner.h"

namespace patchbay::driver {

/// Prepares and unprepares ResourceClaims, as preparation.h decides. Keeps the records and CDI
/// specs of prepared ones equal to their units, so that a restarted container gets the current
/// device nodes. Loop thread; files are read and written on work threads.
class ClaimPreparer final : public ResourceClaimHandler {
 public:
  struct Options {
    std::string driver;
    std::string pool;           ///< The name of the node.
    std::string directory;      ///< The records are here.
    std::string cdi_directory;  ///< The CDI specs are here.
    std::string boot_id;
    paths::HostRoot root;
  };
  struct Callbacks {
    /// The unit of a DRA device, by its name.
    std::function<std::optional<ClaimUnit>(std::string_view device)> find_device;
    /// The newest lists of all resources.
    std::function<std::vector<inventory::SnapshotPtr>()> lists;
    std::function<void(const ResourceClaimName&, KubeClient::GotClaim)> get_claim;
    /// devices() has changed.
    std::function<void()> changed;
  };

  /// `work` and `steps` outlive it.
  ClaimPreparer(loop::BlockingWork& work, steps::StepRunner& steps, Options options,
                Callbacks callbacks);
  ClaimPreparer(const ClaimPreparer&) = delete;
  ClaimPreparer& operator=(const ClaimPreparer&) = delete;

  /// Reads the records of earlier runs. Until `loaded` is called, no other call may be made.
  void load(std::function<void(Result<void>)> loaded);
  void prepare(const ResourceClaimName& claim, Done done) override;
  void stop_preparing(const std::string& uid) override;
  void unprepare(const ResourceClaimName& claim, Done done) override;

  /// The list of a resource has changed. Renders the prepared ResourceClaims that have its units
  /// again. If a unit is missing or unhealthy, its ResourceClaim keeps the last edits.
  void follow(std::string_view resource);

  /// The DRA devices of all ResourceClaims of the driver. Valid until the next call.
  [[nodiscard]] std::vector<const RecordedDevice*> devices() const;

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  struct Running {
    JobPtr job;
    loop::Subscription work{};       ///< The steps or blocking work that run.
    bool has_steps = false;          ///< `work` is steps.
    bool stopped = false;            ///< stop_preparing() was called.
    bool units_changed = false;      ///< follow() was called meanwhile.
    loop::Task next_call = nullptr;  ///< A call of the kubelet during follow_units(); or null.
  };

  void call(const std::string& uid, loop::Task task);
  JobPtr begin(const ResourceClaimName& claim, Done done);
  void end(const JobPtr& job, ClaimOutcome outcome);
  void follow_units(const std::string& uid);
  void read_claim(const JobPtr& job);
  void find_units(const JobPtr& job);
  void store_new(const JobPtr& job);
  void run_steps(const JobPtr& job);
  void finish(const JobPtr& job);
  void answer(const JobPtr& job);
  void forget(const JobPtr& job);
  /// Runs `blocking` for the ResourceClaim on a work thread, then `next` if it succeeded.
  void blocking(const JobPtr& job, std::move_only_function<Result<void>()> blocking,
                void (ClaimPreparer::*next)(const JobPtr&));
  void store(const ClaimRecord& record);

  loop::BlockingWork& work_;
  steps::StepRunner& steps_;
  const std::shared_ptr<const Options> options_;
  const Callbacks callbacks_;
  const std::shared_ptr<const ClaimStore> store_;
  StoredClaims stored_;
  loop::Subscription loading_;
  std::map<std::string, Running> running_;  ///< By uid.
  loop::WeakSelf<ClaimPreparer> weak_self_{this};
};

}  // namespace patchbay::driver
