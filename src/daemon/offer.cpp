#include "daemon/offer.h"

#include <algorithm>
#include <utility>

namespace patchbay::daemon {
namespace {

bool have_same_units(const inventory::Snapshot& a, const inventory::Snapshot& b) {
  const auto address = [](const inventory::Unit& unit) { return &unit; };
  return a.resource == b.resource && std::ranges::equal(a.units, b.units, {}, address, address);
}

}  // namespace

Offer::Offer(loop::EventLoop& loop, std::unique_ptr<Sink> sink,
             std::shared_ptr<status::ResourceCounters> counters)
    : change_log_(loop, std::move(counters)),
      sink_(std::move(sink)),
      publisher_(loop, [this](const inventory::SnapshotPtr& list) {
        sink_->publish(list);
        // After the list: only the kubelet is waiting.
        change_log_.note_list(list, std::exchange(edited_, false));
      }) {}

void Offer::update(const inventory::ResolvedResource& resource, const inventory::SnapshotPtr& list,
                   bool at_once, bool edited) {
  const bool was_withheld = std::exchange(withheld_, list != resource.snapshot);
  // A list without some units is made again at each call. Sending it again would cause the next
  // call.
  const bool repeated = was_withheld && withheld_ && have_same_units(*last_, *list);
  if (!repeated && std::exchange(last_, list) != list) {
    edited_ = edited_ || edited;
    publisher_.offer(list);
  }
  if (at_once || (was_withheld && !withheld_)) publisher_.flush();
  change_log_.note_problems(resource);
}

}  // namespace patchbay::daemon
