#include "daemon/device_watch.h"

#include <algorithm>

#include "rules/compile.h"

namespace patchbay::daemon {

DeviceWatch::DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, rules::PlanPtr plan,
                         host::HostOptions options,
                         std::function<void(const inventory::Resolution&)> on_resolution)
    : loop_(loop),
      inventory_(std::move(plan)),
      on_resolution_(std::move(on_resolution)),
      host_(host::Host::create(loop, inotify, std::move(options))) {}

DeviceWatch::~DeviceWatch() = default;

Result<void> DeviceWatch::start() {
  return host_->start(rules::host_query(inventory_.plan()), *this);
}

void DeviceWatch::device_seen(DeviceFactsPtr facts) {
  if (inventory_.apply(std::move(facts))) resolve_soon();
}

void DeviceWatch::device_gone(const std::string& key) {
  if (inventory_.remove(key)) resolve_soon();
}

void DeviceWatch::nodes_online(const std::set<int>& nodes) {
  if (inventory_.set_online_nodes(nodes)) resolve_soon();
}

void DeviceWatch::first_scan_done() {
  scanned_ = true;
  resolve();
}

void DeviceWatch::resolve_soon() {
  if (!scanned_ || soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] { resolve(); });
}

void DeviceWatch::resolve() {
  soon_.reset();
  next_change_.reset();
  const auto now = loop_.now();
  const inventory::Resolution& resolution = inventory_.resolve(now);
  if (resolution.next_change) {
    const auto delay = std::chrono::ceil<loop::Milliseconds>(*resolution.next_change - now);
    next_change_ = loop_.after(std::max(delay, loop::Milliseconds(0)), [this] { resolve(); });
  }
  on_resolution_(resolution);
}

}  // namespace patchbay::daemon
