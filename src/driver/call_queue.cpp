#include "driver/call_queue.h"

#include <algorithm>
#include <utility>

namespace patchbay::driver {

void CallQueue::add(CallKind kind, const std::vector<ResourceClaimName>& claims, Answer answer) {
  if (claims.empty()) return answer({});
  const auto call =
      std::make_shared<Call>(Call{.answer = std::move(answer), .open = claims.size()});
  for (const ResourceClaimName& claim : claims) {
    auto& jobs = jobs_[claim.uid];
    jobs.push_back({.kind = kind, .claim = claim, .call = call});
    if (jobs.size() == 1) {
      start_first(claim.uid);
    } else if (kind == CallKind::unprepare && jobs.front().kind == CallKind::prepare) {
      handler_.stop_preparing(claim.uid);
    }
  }
}

void CallQueue::start_first(const std::string& uid) {
  const auto& jobs = jobs_.at(uid);
  const CallKind kind = jobs.front().kind;
  const ResourceClaimName claim = jobs.front().claim;  // The handler may change the queue.
  auto done = weak_self_.guard([uid](CallQueue& queue, ClaimOutcome outcome) {
    queue.finish_first(uid, std::move(outcome));
  });
  const bool unprepare_waits =
      std::ranges::any_of(jobs, [](const Job& job) { return job.kind == CallKind::unprepare; });
  if (kind == CallKind::unprepare) {
    handler_.unprepare(claim, std::move(done));
  } else if (unprepare_waits) {
    done(fail("the ResourceClaim is being unprepared; the kubelet tries again"));
  } else {
    handler_.prepare(claim, std::move(done));
  }
}

void CallQueue::finish_first(const std::string& uid, ClaimOutcome outcome) {
  auto& jobs = jobs_.at(uid);
  std::vector<std::shared_ptr<Call>> done;
  const CallKind kind = jobs.front().kind;
  if (kind == CallKind::prepare && !outcome) {
    failed_[uid] = jobs.front().claim.driver;
  } else {
    failed_.erase(uid);
  }
  do {
    done.push_back(std::move(jobs.front().call));
    jobs.pop_front();
  } while (kind == CallKind::unprepare && !jobs.empty() && jobs.front().kind == kind);
  const bool is_last = jobs.empty();
  if (is_last) jobs_.erase(uid);
  for (const auto& call : done) {
    call->outcomes.insert_or_assign(uid, outcome);
    if (--call->open == 0) call->answer(std::move(call->outcomes));
  }
  on_ended_(uid);
  if (!is_last) start_first(uid);
}

bool CallQueue::has_open_claims(const std::string& driver) const {
  return std::ranges::any_of(failed_, [&](const auto& its) { return its.second == driver; }) ||
         std::ranges::any_of(
             jobs_, [&](const auto& its) { return its.second.front().claim.driver == driver; });
}

}  // namespace patchbay::driver
