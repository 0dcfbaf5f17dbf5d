#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/result.h"
#include "driver/claim_record.h"
#include "driver/kube_client.h"
#include "driver/resource_claim_handler.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "pods/pod_resources.h"

namespace patchbay::driver {

/// Finds ResourceClaims whose Unprepare never comes, such as after a forced deletion, and releases
/// them. Two consecutive checks must find that the API server has no ResourceClaim with the uid,
/// and that no Pod has its devices. One of both is not enough. After a forced deletion, the
/// kubelet does not list the Pod, but its container may still run for a while. If the API server or
/// the kubelet does not answer, nothing is released, and the count starts again. Loop thread.
class ClaimReconciler {
 public:
  static constexpr loop::Milliseconds kPeriod{600'000};

  struct Callbacks {
    /// The records of the drivers that this process serves.
    std::function<std::vector<const ClaimRecord*>()> records;
    /// Lists the ResourceClaims of all Pods; fails if the kubelet does not answer.
    std::function<void(std::move_only_function<void(Result<std::vector<pods::PodClaimDevice>>)>)>
        list_pods;
    std::function<void(const ResourceClaimName&, KubeClient::GotClaim)> get_claim;
    /// Unprepares a ResourceClaim.
    std::function<void(const ResourceClaimName&)> release;
    /// A check begins.
    std::function<void()> checking;
  };

  /// Checks each `period` from start() on.
  ClaimReconciler(loop::EventLoop& loop, loop::Milliseconds period, Callbacks callbacks)
      : loop_(loop), period_(period), callbacks_(std::move(callbacks)) {}

  /// Begins the first check at once. Does nothing if it has begun.
  void start();
  /// The kubelet called for the ResourceClaim: the count of its checks starts again.
  void note_call(const std::string& uid) { absent_.erase(uid); }

 private:
  void check();
  void check_pods(const std::vector<pods::PodClaimDevice>& in_pods);
  void on_claim(const ResourceClaimName& name, const Result<Json>& claim);

  loop::EventLoop& loop_;
  const loop::Milliseconds period_;
  const Callbacks callbacks_;
  loop::Subscription timer_;
  std::set<std::string> absent_;  ///< The uids that the last check did not find anywhere.
  loop::WeakSelf<ClaimReconciler> weak_self_{this};
};

}  // namespace patchbay::driver
