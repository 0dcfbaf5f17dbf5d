#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "driver/resource_claim_handler.h"

namespace patchbay::driver {

/// Records the calls, and ends them when the test calls end().
class ScriptedHandler final : public ResourceClaimHandler {
 public:
  void prepare(const ResourceClaimName& claim, Done done) override {
    begin("prepare", claim, std::move(done));
  }
  void stop_preparing(const std::string& uid) override { log_.push_back("stop " + uid); }
  void unprepare(const ResourceClaimName& claim, Done done) override {
    begin("unprepare", claim, std::move(done));
  }

  /// Ends the first running call of the ResourceClaim.
  void end(const std::string& uid, ClaimOutcome outcome = {}) {
    for (auto at = running_.begin(); at != running_.end(); ++at) {
      if (at->first != uid) continue;
      auto done = std::move(at->second);
      running_.erase(at);
      return done(std::move(outcome));
    }
    ADD_FAILURE() << "no call of " << uid << " is running";
  }

  [[nodiscard]] const std::vector<std::string>& log() const { return log_; }
  [[nodiscard]] std::vector<std::string> take_log() { return std::exchange(log_, {}); }
  /// The ResourceClaim of the last call.
  [[nodiscard]] const ResourceClaimName& last() const { return last_; }
  bool at_once = false;  ///< Ends each call within itself.

 private:
  void begin(const std::string& call, const ResourceClaimName& claim, Done done) {
    last_ = claim;
    log_.push_back(call + " " + claim.uid + " " + claim.namespace_name + "/" + claim.name);
    if (at_once) return done({});
    running_.emplace_back(claim.uid, std::move(done));
  }

  std::vector<std::string> log_;
  ResourceClaimName last_;
  std::vector<std::pair<std::string, Done>> running_;
};

}  // namespace patchbay::driver
