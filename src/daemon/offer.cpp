#include "daemon/offer.h"

#include <utility>

namespace patchbay::daemon {

Offer::Offer(loop::EventLoop& loop, serve::PluginHost& plugins,
             std::shared_ptr<specs::UnitFileStore> store, std::function<void()> served)
    : loop_(loop),
      plugins_(plugins),
      served_(std::move(served)),
      change_log_(loop),
      files_(loop, std::move(store),
             [this](inventory::SnapshotPtr snapshot) { serve(std::move(snapshot)); }),
      publisher_(
          loop, [this](inventory::SnapshotPtr snapshot) { files_.publish(std::move(snapshot)); }) {}

Offer::~Offer() = default;

void Offer::take(const inventory::ResolvedResource& resource) {
  change_log_.note(resource);
  if (std::exchange(last_, resource.snapshot) != resource.snapshot) publisher_.offer(last_);
}

void Offer::serve(inventory::SnapshotPtr snapshot) {
  if (leaving_) return;
  if (plugin_) return plugin_->publish(std::move(snapshot));
  plugin_ = plugins_.serve(snapshot);
  served_();
}

void Offer::withdraw(loop::Task withdrawn) {
  leaving_ = true;
  publisher_.stop();
  auto remove_files = [this, withdrawn = std::move(withdrawn)]() mutable {
    files_.remove(std::move(withdrawn));
  };
  if (plugin_) return plugin_->withdraw(std::move(remove_files));
  ended_ = loop_.after(loop::Milliseconds(0), std::move(remove_files));
}

}  // namespace patchbay::daemon
