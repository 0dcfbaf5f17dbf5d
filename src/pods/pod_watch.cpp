#include "pods/pod_watch.h"

#include <utility>

#include "base/current_path.h"
#include "base/duration.h"
#include "base/log.h"

namespace patchbay::pods {
namespace {

using State = status::PodResourcesStatus::State;

}  // namespace

void QuerySchedule::allocated() {
  if (!std::exchange(soon_set_, true)) {
    soon_ = loop_.after(kFirstDelay, [this] {
      soon_set_ = false;
      query_();
    });
  }
  later_ = loop_.after(kSecondDelay, [this] { query_(); });
}

PodWatch::PodWatch(loop::EventLoop& loop, loop::BlockingWork& work, std::string path,
                   std::shared_ptr<PodResources> kubelet, std::function<ResourceNames()> offered)
    : loop_(loop),
      work_(work),
      path_(std::move(path)),
      kubelet_(std::move(kubelet)),
      offered_(std::move(offered)),
      schedule_(loop, [this] { query(); }) {}

PodWatch::~PodWatch() { kubelet_->close(); }

void PodWatch::allocated(const std::string& resource, const std::vector<std::string>& devices,
                         loop::Time at) {
  tracker_.allocated(resource, devices, at);
  schedule_.allocated();
}

void PodWatch::refresh(Refreshed done, bool newest) {
  const uint64_t newer = queries_ + 1;
  if (newest || (!querying_ && schedule_.is_due())) query();
  if (!querying_) return done(fail("the last query is recent"));
  const uint64_t number = next_waiting_++;
  Waiting& waiting = waiting_[number];
  waiting.done = std::move(done);
  waiting.query = newer;
  waiting.timer = loop_.after(kRefreshTimeout, [this, number] {
    auto entry = std::move(waiting_.extract(number).mapped());
    entry.done(fail("the kubelet did not answer within " + duration_text(kRefreshTimeout)));
  });
}

/// A callback may call refresh(), which then waits for a later query.
void PodWatch::finish_waiting() {
  for (auto& [number, waiting] : std::exchange(waiting_, {})) {
    waiting.timer.reset();
    if (status_.state != State::ready) {
      waiting.done(fail(status_.reason));
    } else if (queries_ < waiting.query) {
      waiting.done(fail("the query began earlier"));
    } else {
      waiting.done({});
    }
  }
}

void PodWatch::query() {
  if (querying_) {
    again_ = true;
    return;
  }
  querying_ = true;
  ++queries_;
  schedule_.query_started();
  const loop::Time at = loop_.now();
  ResourceNames resources = tracker_.resources();
  resources.merge(offered_());
  const auto outcome = std::make_shared<ListOutcome>();
  // Read only if the work is done: otherwise the thread may still write it.
  call_ = work_.run(
      "who holds what", kCallTimeout,
      [kubelet = kubelet_, resources = std::move(resources), outcome] {
        *outcome = kubelet->list(resources);
      },
      [this, outcome, at](loop::WorkOutcome how) {
        query_ended(how, how == loop::WorkOutcome::done ? *outcome : ListOutcome{}, at);
      });
}

void PodWatch::query_ended(loop::WorkOutcome how, const ListOutcome& outcome, loop::Time at) {
  querying_ = false;
  status_.asked = at;
  switch (how) {
    case loop::WorkOutcome::done:
      if (outcome.kind == ListOutcome::Kind::answered) {
        tracker_.take(outcome.list.allocations, at);
        claims_ = outcome.list.claims;
        status_.answered = at;
      }
      log_outcome(outcome.kind, outcome.reason);
      break;
    case loop::WorkOutcome::timed_out:
    case loop::WorkOutcome::still_hanging:
      log_outcome(ListOutcome::Kind::failed, unresponsive_text(path_));
      break;
    case loop::WorkOutcome::no_thread:
      log_outcome(ListOutcome::Kind::failed, kNoThreadText);
      break;
  }
  if (std::exchange(again_, false)) return query();  // The waiting readers get the newer answer.
  finish_waiting();
}

void PodWatch::log_outcome(ListOutcome::Kind kind, std::string reason) {
  const bool failed_before = status_.state == State::failing;
  const bool is_new = std::exchange(status_.reason, std::move(reason)) != status_.reason;
  switch (kind) {
    case ListOutcome::Kind::answered:
      status_.state = State::ready;
      if (failed_before) log::info("PodResources is available again");
      return;
    case ListOutcome::Kind::no_socket:
      status_.state = State::no_socket;
      if (is_new) log::debug("unit holders are unknown", {{"reason", status_.reason}});
      return;
    case ListOutcome::Kind::failed:
      status_.state = State::failing;
      if (is_new) {
        log::info("PodResources unavailable: unit holders are unknown",
                  {{"reason", status_.reason}});
      }
      return;
  }
}

status::PodResourcesStatusPtr PodWatch::status() const {
  auto status = std::make_shared<status::PodResourcesStatus>(status_);
  status->path = path_;
  status->devices = tracker_.all();
  return status;
}

}  // namespace patchbay::pods
