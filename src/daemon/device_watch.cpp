#include "daemon/device_watch.h"

#include <algorithm>
#include <utility>

#include "loop/child_process.h"
#include "rules/compile.h"

namespace patchbay::daemon {

DeviceWatch::DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, rules::PlanPtr plan,
                         Options options,
                         std::function<void(const inventory::Resolution&)> on_resolution)
    : loop_(loop),
      inventory_(std::move(plan)),
      on_resolution_(std::move(on_resolution)),
      follows_(options.host.watch),
      threads_(loop),
      runner_(health::CheckRunner::create(
          loop, threads_, {.root = options.host.root, .environment = loop::child_environment({})})),
      paths_(host::PathLook::create(threads_, options.host.root)),
      health_(loop, *runner_, *paths_,
              {.most_checks = options.most_checks,
               .once = !follows_,
               .inotify = follows_ ? &inotify : nullptr,
               .root = options.host.root},
              [this] { resolve(); }),
      host_(host::Host::create(loop, inotify, std::move(options.host))) {}

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

void DeviceWatch::pattern_cut(const std::string& pattern, const std::string& why) {
  if (inventory_.set_pattern_cut(pattern, why)) resolve_soon();
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
  const inventory::Resolution& resolution = inventory_.resolve(now, &health_);
  if (resolution.next_change) {
    const auto delay = std::chrono::ceil<loop::Milliseconds>(*resolution.next_change - now);
    next_change_ = loop_.after(std::max(delay, loop::Milliseconds(0)), [this] { resolve(); });
  }
  // Who looks once waits for what the probes say; health_ calls then.
  if (follows_ || health_.idle()) on_resolution_(resolution);
}

}  // namespace patchbay::daemon
