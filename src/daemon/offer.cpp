#include "daemon/offer.h"

#include <algorithm>
#include <utility>

namespace patchbay::daemon {

Offer::Offer(loop::EventLoop& loop, std::vector<std::unique_ptr<Sink>> sinks,
             std::shared_ptr<status::ResourceCounters> counters)
    : change_log_(loop, std::move(counters)),
      sinks_(std::move(sinks)),
      publisher_(loop, [this](const inventory::SnapshotPtr& list) { send(list); }) {}

void Offer::send(const inventory::SnapshotPtr& list) {
  for (const auto& sink : sinks_) sink->publish(list);
  change_log_.note_list(
      list, std::exchange(edited_, false));  // After the list: only the kubelet is waiting.
}

void Offer::update(const inventory::ResolvedResource& resource, bool at_once, bool edited) {
  if (std::exchange(last_, resource.snapshot) != resource.snapshot) {
    edited_ = edited_ || edited;
    publisher_.offer(last_);
  }
  if (at_once) publisher_.flush();
  change_log_.note_problems(resource);
}

void Offer::withdraw(loop::Task withdrawn) {
  withdrawn_ = std::move(withdrawn);
  withdrawing_ = sinks_.size();
  publisher_.stop();
  for (const auto& sink : sinks_) {
    sink->withdraw([this] {
      if (--withdrawing_ > 0) return;
      auto done = std::exchange(withdrawn_, nullptr);  // It may destroy this object.
      done();
    });
  }
}

bool Offer::served() const {
  return std::ranges::all_of(sinks_, [](const auto& sink) { return sink->served(); });
}

}  // namespace patchbay::daemon
