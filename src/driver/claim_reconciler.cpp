#include "driver/claim_reconciler.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/log.h"

namespace patchbay::driver {
namespace {

/// The status of a response of the API server: no object has this name.
constexpr int kNotFound = 404;

/// Names are used again, so all that identifies the device counts.
bool is_of(const pods::PodClaimDevice& in_pod, const ClaimRecord& record) {
  return in_pod.claim_namespace == record.name_space && in_pod.claim == record.name &&
         in_pod.driver == record.driver &&
         std::ranges::any_of(record.devices, [&](const RecordedDevice& device) {
           return device.pool == in_pod.pool && device.device == in_pod.device;
         });
}

bool has_uid(const Json& claim, const std::string& uid) {
  const auto metadata = claim.find("metadata");
  return metadata != claim.end() && metadata->is_object() &&
         metadata->value("uid", Json()) == Json(uid);
}

}  // namespace

void ClaimReconciler::start() {
  if (timer_) return;
  check();
  timer_ = loop_.every(period_, [this] { check(); });
}

void ClaimReconciler::check() {
  if (callbacks_.records().empty()) return absent_.clear();
  callbacks_.checking();
  callbacks_.list_pods(weak_self_.guard(
      [](ClaimReconciler& self, const Result<std::vector<pods::PodClaimDevice>>& in_pods) {
        if (!in_pods) return self.absent_.clear();
        self.check_pods(*in_pods);
      }));
}

void ClaimReconciler::check_pods(const std::vector<pods::PodClaimDevice>& in_pods) {
  std::set<std::string> known;
  for (const ClaimRecord* record : callbacks_.records()) {
    known.insert(record->uid);
    const ResourceClaimName name{.driver = record->driver,
                                 .uid = record->uid,
                                 .namespace_name = record->name_space,
                                 .name = record->name};
    if (std::ranges::any_of(in_pods, [&](const auto& its) { return is_of(its, *record); })) {
      absent_.erase(record->uid);
      continue;
    }
    callbacks_.get_claim(name,
                         weak_self_.guard([name](ClaimReconciler& self, const Result<Json>& claim) {
                           self.on_claim(name, claim);
                         }));
  }
  std::erase_if(absent_, [&](const std::string& uid) { return !known.contains(uid); });
}

void ClaimReconciler::on_claim(const ResourceClaimName& name, const Result<Json>& claim) {
  const bool is_absent = claim ? !has_uid(*claim, name.uid) : claim.error().number == kNotFound;
  if (!is_absent) {
    absent_.erase(name.uid);
  } else if (!absent_.insert(name.uid).second) {
    absent_.erase(name.uid);
    log::warning("releasing a ResourceClaim that neither the API server nor a Pod has",
                 {{"for", claim_text(name.namespace_name, name.name)}, {"uid", name.uid}});
    callbacks_.release(name);
  }
}

}  // namespace patchbay::driver
