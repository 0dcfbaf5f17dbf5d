#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "daemon/device_watch.h"
#include "inventory/inventory_fixture.h"

namespace patchbay::daemon {
namespace {

using inventory::Strings;
using testing::ElementsAre;

/// A Host that reports given facts, without a kernel.
class RecordedHost final : public host::Host {
 public:
  RecordedHost(std::vector<DeviceFactsPtr> devices, host::HostListener& listener)
      : devices_(std::move(devices)), listener_(listener) {}

  void start() override {
    for (const DeviceFactsPtr& facts : devices_) listener_.device_seen(facts, std::nullopt);
    listener_.first_scan_done();
  }
  void refresh_if_known(const std::string& key) override { refreshed.push_back(key); }
  void assume(const std::string& /*key*/) override {}
  void rescan(const std::string& /*reason*/) override {}
  [[nodiscard]] EventCounts event_counts() const override { return {}; }
  [[nodiscard]] EventSources event_sources() const override { return {}; }

  void unplug(const std::string& key) { listener_.device_gone(key, std::nullopt); }

  Strings refreshed;

 private:
  std::vector<DeviceFactsPtr> devices_;
  host::HostListener& listener_;
};

TEST(Generation, OffersDevicesThatHostReports) {
  RecordedHost* recorded = nullptr;
  Strings calls;
  Generation generation(
      [&](const HostQueryPtr& /*query*/, host::HostListener& listener) {
        auto host = std::make_unique<RecordedHost>(
            std::vector{inventory::shared(inventory::serial("ttyUSB0", "A1")),
                        inventory::shared(inventory::serial("ttyUSB1", "B2"))},
            listener);
        recorded = host.get();
        return host;
      },
      inventory::plan_of("  - {name: a.io/serial, match: {subsystem: tty}, id: $(name)}\n"),
      nullptr, false,
      {.ready = [&] { calls.emplace_back("ready"); },
       .changed = [&] { calls.emplace_back("changed"); },
       .device_event = [&](const std::string& key) { calls.push_back(key); }});
  generation.start();
  const auto ids = [&] {
    Strings found;
    for (const auto& unit : *generation.inventory().offer().at(0)) found.push_back(unit->id);
    return found;
  };
  EXPECT_THAT(ids(), ElementsAre("ttyUSB0", "ttyUSB1"));
  recorded->unplug("/sys/devices/usb/ttyUSB0");
  EXPECT_THAT(ids(), ElementsAre("ttyUSB1"));
  generation.refresh("/sys/devices/usb/ttyUSB1");
  EXPECT_THAT(recorded->refreshed, ElementsAre("/sys/devices/usb/ttyUSB1"));
  EXPECT_THAT(calls, ElementsAre("ready", "changed"));
}

}  // namespace
}  // namespace patchbay::daemon
