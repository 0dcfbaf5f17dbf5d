#include "daemon/offer.h"

#include <algorithm>
#include <utility>

namespace patchbay::daemon {

Offer::Offer(loop::EventLoop& loop, loop::BlockingWork& work, serve::PluginHost& plugins,
             std::shared_ptr<specs::UnitFileStore> store,
             std::shared_ptr<status::ResourceCounters> counters, Callbacks callbacks)
    : loop_(loop),
      plugins_(plugins),
      callbacks_(std::move(callbacks)),
      change_log_(loop, std::move(counters)),
      files_(loop, work, std::move(store),
             [this](inventory::SnapshotPtr snapshot) { serve(std::move(snapshot)); }),
      publisher_(loop, [this](inventory::SnapshotPtr snapshot) { publish(std::move(snapshot)); }),
      since_(loop.now()) {}

Offer::~Offer() = default;

void Offer::update(const inventory::ResolvedResource& resource, bool at_once) {
  if (std::exchange(last_, resource.snapshot) != resource.snapshot) {
    const auto& units = last_->units;
    const auto healthy = std::ranges::count_if(units, &inventory::Unit::healthy);
    history_.note(units.size(), static_cast<size_t>(healthy), loop_.now());
    publisher_.offer(last_);
  }
  if (at_once) publisher_.flush();
  change_log_.note(resource);  // After the list: only the kubelet is waiting.
}

void Offer::publish(inventory::SnapshotPtr snapshot) {
  if (elected_) return files_.publish(std::move(snapshot));
  newest_ = std::move(snapshot);
  if (!std::exchange(campaigning_, true)) {
    since_ = loop_.now();
    plugins_.campaign(newest_->resource->name, [this] { elected(); });
  }
}

void Offer::elected() {
  elected_ = true;
  if (withdrawing_) return;
  callbacks_.elected();
  files_.publish(std::exchange(newest_, nullptr));
}

void Offer::serve(inventory::SnapshotPtr snapshot) {
  if (withdrawing_) return;
  if (plugin_) return plugin_->publish(std::move(snapshot));
  plugin_ = plugins_.serve(snapshot);
  callbacks_.served();
}

status::RegistrationStatus Offer::status() const {
  using State = status::RegistrationStatus::State;
  if (withdrawing_) return {.state = State::withdrawing, .since = since_};
  if (plugin_) return plugin_->status();
  return {.state = campaigning_ && !elected_ ? State::standby : State::registering,
          .since = since_};
}

void Offer::withdraw(loop::Task withdrawn) {
  withdrawing_ = true;
  since_ = loop_.now();
  publisher_.stop();
  // Another process may serve the resource only when nothing of it is left here.
  auto resign = [this, withdrawn = std::move(withdrawn)]() mutable {
    if (campaigning_) plugins_.resign(last_->resource->name);
    withdrawn();
  };
  auto remove_files = [this, resign = std::move(resign)]() mutable {
    files_.remove(std::move(resign));
  };
  if (plugin_) return plugin_->withdraw(std::move(remove_files));
  ended_ = loop_.after(loop::Milliseconds(0), std::move(remove_files));
}

}  // namespace patchbay::daemon
