#include "daemon/plugin_sink.h"

#include <string>
#include <utility>

namespace patchbay::daemon {

PluginSink::PluginSink(loop::EventLoop& loop, loop::BlockingWork& work, plugin::PluginHost& plugins,
                       std::shared_ptr<specs::UnitFileStore> store, Callbacks callbacks)
    : loop_(loop),
      plugin_(plugins, std::move(callbacks.served), std::move(callbacks.acknowledged)),
      files_(loop, work, std::move(store),
             [this](const inventory::SnapshotPtr& list) { plugin_.publish(list); }),
      election_(plugins, std::move(callbacks.elected),
                [this](inventory::SnapshotPtr list) { files_.publish(std::move(list)); }),
      since_(loop.now()) {}

status::RegistrationStatus PluginSink::status() const {
  using State = status::RegistrationStatus::State;
  if (withdrawing_) return {.state = State::withdrawing, .since = since_};
  const std::string& failure = files_.failure();
  status::RegistrationStatus status{.state = election_.is_standby() ? State::standby
                                             : failure.empty()      ? State::registering
                                                                    : State::backing_off,
                                    .since = since_};
  if (plugin_.server() != nullptr) status = plugin_.server()->status();
  if (!failure.empty()) status.failure = "cannot write unit files: " + failure;
  return status;
}

void PluginSink::withdraw(loop::Task withdrawn) {
  withdrawing_ = true;
  since_ = loop_.now();
  election_.stop();
  plugin_.stop();
  // Another process may serve the resource only when nothing of it is left here.
  auto resign = [this, withdrawn = std::move(withdrawn)]() mutable {
    election_.resign();
    withdrawn();
  };
  auto remove_files = [this, resign = std::move(resign)]() mutable {
    files_.remove(std::move(resign));
  };
  if (plugin_.server() != nullptr) return plugin_.server()->withdraw(std::move(remove_files));
  ended_ = loop_.after(loop::Milliseconds(0), std::move(remove_files));
}

}  // namespace patchbay::daemon
