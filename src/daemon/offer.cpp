#include "daemon/offer.h"

#include <algorithm>
#include <utility>

namespace patchbay::daemon {

Offer::Offer(loop::EventLoop& loop, loop::BlockingWork& work, serve::PluginHost& plugins,
             std::shared_ptr<specs::UnitFileStore> store,
             std::shared_ptr<observe::ResourceCounters> counters, Callbacks callbacks)
    : loop_(loop),
      plugins_(plugins),
      callbacks_(std::move(callbacks)),
      change_log_(loop, std::move(counters)),
      files_(loop, work, std::move(store),
             [this](inventory::SnapshotPtr snapshot) { serve(std::move(snapshot)); }),
      publisher_(loop, [this](inventory::SnapshotPtr snapshot) { publish(std::move(snapshot)); }),
      since_(loop.now()) {}

Offer::~Offer() = default;

void Offer::take(const inventory::ResolvedResource& resource, std::optional<loop::Time> heard,
                 bool at_once) {
  if (std::exchange(last_, resource.snapshot) != resource.snapshot) {
    const auto& units = last_->units;
    const auto healthy = std::ranges::count_if(units, &inventory::Unit::healthy);
    history_.note(units.size(), static_cast<size_t>(healthy), loop_.now());
    if (heard) heard_ = std::min(*heard, heard_.value_or(*heard));
    publisher_.offer(last_);
  }
  if (at_once) publisher_.hurry();
  change_log_.note(resource);  // The kubelet waits for the list, nobody for the log.
}

void Offer::publish(inventory::SnapshotPtr snapshot) {
  if (elected_) return files_.publish(std::move(snapshot));
  newest_ = std::move(snapshot);
  if (!std::exchange(stands_, true)) {
    since_ = loop_.now();
    plugins_.stand(newest_->resource->name, [this] { elected(); });
  }
}

void Offer::elected() {
  elected_ = true;
  if (leaving_) return;
  callbacks_.elected();
  files_.publish(std::exchange(newest_, nullptr));
}

void Offer::serve(inventory::SnapshotPtr snapshot) {
  if (leaving_) return;
  if (plugin_) return plugin_->publish(std::move(snapshot), std::exchange(heard_, std::nullopt));
  plugin_ = plugins_.serve(snapshot);
  callbacks_.served();
}

observe::RegistrationStatus Offer::status() const {
  using State = observe::RegistrationStatus::State;
  if (leaving_) return {.state = State::leaving, .since = since_};
  if (plugin_) return plugin_->status();
  return {.state = stands_ && !elected_ ? State::standing_by : State::registering, .since = since_};
}

void Offer::withdraw(loop::Task withdrawn) {
  leaving_ = true;
  since_ = loop_.now();
  publisher_.stop();
  // Another process may serve it when nothing of it is left here.
  auto stand_down = [this, withdrawn = std::move(withdrawn)]() mutable {
    if (stands_) plugins_.stand_down(last_->resource->name);
    withdrawn();
  };
  auto remove_files = [this, stand_down = std::move(stand_down)]() mutable {
    files_.remove(std::move(stand_down));
  };
  if (plugin_) return plugin_->withdraw(std::move(remove_files));
  ended_ = loop_.after(loop::Milliseconds(0), std::move(remove_files));
}

}  // namespace patchbay::daemon
