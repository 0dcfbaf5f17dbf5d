#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/resource_claim_handler.h"
#include "loop/weak_self.h"

namespace patchbay::driver {

enum class CallKind { prepare, unprepare };

/// The outcome of each ResourceClaim of a call, by uid.
using ClaimOutcomes = std::map<std::string, ClaimOutcome>;

/// Runs the calls for each ResourceClaim one after another, and those for different ones in
/// parallel. A call of the kubelet is answered when all of its ResourceClaims are done.
///
/// An Unprepare is final for all calls before it: a running preparation is stopped, and one that
/// waits fails without being run. Unprepares that wait for a running one have its outcome. Loop
/// thread.
class CallQueue {
 public:
  using Answer = std::move_only_function<void(ClaimOutcomes)>;

  /// `handler` outlives this object. `ended` is called after each call for a ResourceClaim.
  CallQueue(ResourceClaimHandler& handler, std::function<void(const std::string& uid)> ended)
      : handler_(handler), on_ended_(std::move(ended)) {}

  /// Calls `answer` once, possibly within add(). Destroys it without a call if this object is
  /// destroyed before.
  void add(CallKind kind, const std::vector<ResourceClaimName>& claims, Answer answer);
  /// Whether a call for a ResourceClaim of the driver runs, or the last one was a Prepare that
  /// failed. The kubelet calls Unprepare for it, too.
  [[nodiscard]] bool has_open_claims(const std::string& driver) const;

 private:
  /// One call of the kubelet.
  struct Call {
    Answer answer;
    size_t open = 0;  ///< Number of ResourceClaims that are not done.
    ClaimOutcomes outcomes{};
  };
  /// One ResourceClaim of a call.
  struct Job {
    CallKind kind;
    ResourceClaimName claim;
    std::shared_ptr<Call> call;
  };

  void start_first(const std::string& uid);
  void finish_first(const std::string& uid, ClaimOutcome outcome);

  ResourceClaimHandler& handler_;
  const std::function<void(const std::string&)> on_ended_;
  std::map<std::string, std::deque<Job>> jobs_;  ///< By uid. The first one of each uid is running.
  std::map<std::string, std::string> failed_;    ///< Drivers of failed Prepares, by uid.
  loop::WeakSelf<CallQueue> weak_self_{this};
};

}  // namespace patchbay::driver
