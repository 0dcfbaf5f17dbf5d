#include "daemon/plugin_sink.h"

#include <utility>

namespace patchbay::daemon {

PluginSink::PluginSink(loop::EventLoop& loop, loop::BlockingWork& work, plugin::PluginHost& plugins,
                       std::shared_ptr<specs::UnitFileStore> store, Callbacks callbacks)
    : loop_(loop),
      plugins_(plugins),
      callbacks_(std::move(callbacks)),
      files_(loop, work, std::move(store),
             [this](inventory::SnapshotPtr snapshot) { serve(std::move(snapshot)); }),
      since_(loop.now()) {}

PluginSink::~PluginSink() = default;

void PluginSink::publish(inventory::SnapshotPtr snapshot) {
  if (elected_) return files_.publish(std::move(snapshot));
  newest_ = std::move(snapshot);
  if (resource_.empty()) {
    since_ = loop_.now();
    resource_ = newest_->resource->name;
    plugins_.campaign(resource_, [this] { elected(); });
  }
}

void PluginSink::elected() {
  elected_ = true;
  if (withdrawing_) return;
  callbacks_.elected();
  files_.publish(std::exchange(newest_, nullptr));
}

void PluginSink::serve(inventory::SnapshotPtr snapshot) {
  if (withdrawing_) return;
  if (plugin_) return plugin_->publish(std::move(snapshot));
  plugin_ = plugins_.serve(snapshot, callbacks_.acknowledged);
  callbacks_.served();
}

status::RegistrationStatus PluginSink::status() const {
  using State = status::RegistrationStatus::State;
  if (withdrawing_) return {.state = State::withdrawing, .since = since_};
  const bool standby = !resource_.empty() && !elected_;
  const std::string& failure = files_.failure();
  status::RegistrationStatus status{.state = standby           ? State::standby
                                             : failure.empty() ? State::registering
                                                               : State::backing_off,
                                    .since = since_};
  if (plugin_) status = plugin_->status();
  if (!failure.empty()) status.failure = "cannot write unit files: " + failure;
  return status;
}

void PluginSink::withdraw(loop::Task withdrawn) {
  withdrawing_ = true;
  since_ = loop_.now();
  // Another process may serve the resource only when nothing of it is left here.
  auto resign = [this, withdrawn = std::move(withdrawn)]() mutable {
    if (!resource_.empty()) plugins_.resign(resource_);
    withdrawn();
  };
  auto remove_files = [this, resign = std::move(resign)]() mutable {
    files_.remove(std::move(resign));
  };
  if (plugin_) return plugin_->withdraw(std::move(remove_files));
  ended_ = loop_.after(loop::Milliseconds(0), std::move(remove_files));
}

}  // namespace patchbay::daemon
