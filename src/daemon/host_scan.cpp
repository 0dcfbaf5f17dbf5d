#include "daemon/host_scan.h"

#include <utility>

#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "rules/compile.h"

namespace patchbay::daemon {
namespace {

/// Takes in what was there at the start.
class FirstLook final : public host::HostListener {
 public:
  FirstLook(loop::UvLoop& loop, inventory::Inventory& inventory)
      : loop_(loop), inventory_(inventory) {}

  void device_seen(DeviceFactsPtr facts) override { inventory_.apply(std::move(facts)); }
  void device_gone(const std::string& key) override { inventory_.remove(key); }
  void nodes_online(const std::set<int>& nodes) override { inventory_.set_online_nodes(nodes); }
  void first_scan_done() override {
    inventory_.resolve(loop_.now());
    loop_.stop();
  }

 private:
  loop::UvLoop& loop_;
  inventory::Inventory& inventory_;
};

}  // namespace

Result<inventory::Inventory> scan_host(const rules::PlanPtr& plan, host::HostOptions options) {
  options.watch = false;
  loop::UvLoop loop;
  const auto inotify = loop::Inotify::create(loop);
  if (!inotify) return std::unexpected(inotify.error());
  inventory::Inventory inventory(plan);
  FirstLook look(loop, inventory);
  const auto host = host::Host::create(loop, **inotify, std::move(options));
  if (auto started = host->start(rules::host_query(plan), look); !started) {
    return std::unexpected(std::move(started).error());
  }
  loop.run();
  return inventory;
}

}  // namespace patchbay::daemon
