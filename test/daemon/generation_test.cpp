#include "daemon/generation.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "inventory/bench.h"

namespace patchbay::daemon {
namespace {

using inventory::Strings;
using testing::ElementsAre;

/// A host of recorded facts, without a kernel.
class RecordedHost final : public host::Host {
 public:
  Result<void> start(HostQueryPtr /*query*/, host::HostListener& its_listener) override {
    listener = &its_listener;
    for (const DeviceFactsPtr& facts : devices) listener->device_seen(facts, std::nullopt);
    listener->first_scan_done();
    return {};
  }
  void refresh_if_known(const std::string& key) override { refreshed.push_back(key); }
  void assume(const std::string& /*key*/) override {}
  void rescan(const std::string& /*reason*/) override {}
  [[nodiscard]] EventCounts event_counts() const override { return {}; }
  [[nodiscard]] EventSources event_sources() const override { return {}; }

  std::vector<DeviceFactsPtr> devices;
  Strings refreshed;
  host::HostListener* listener = nullptr;
};

TEST(Generation, OffersDevicesOfAnyHost) {
  auto host = std::make_unique<RecordedHost>();
  RecordedHost& recorded = *host;
  recorded.devices.push_back(inventory::shared(inventory::serial("ttyUSB0", "A1")));
  recorded.devices.push_back(inventory::shared(inventory::serial("ttyUSB1", "B2")));
  Strings calls;
  Generation generation(
      std::move(host),
      inventory::plan_of("  - {name: a.io/serial, match: {subsystem: tty}, id: $(name)}\n"),
      nullptr, false,
      {.ready = [&] { calls.emplace_back("ready"); },
       .changed = [&] { calls.emplace_back("changed"); },
       .device_event = [&](const std::string& key) { calls.push_back(key); }});
  ASSERT_TRUE(generation.start());
  const auto ids = [&] {
    Strings found;
    for (const auto& unit : *generation.inventory().offer().at(0)) found.push_back(unit->id);
    return found;
  };
  EXPECT_THAT(ids(), ElementsAre("ttyUSB0", "ttyUSB1"));
  recorded.listener->device_gone("/sys/devices/usb/ttyUSB0", std::nullopt);
  EXPECT_THAT(ids(), ElementsAre("ttyUSB1"));
  generation.refresh("/sys/devices/usb/ttyUSB1");
  EXPECT_THAT(recorded.refreshed, ElementsAre("/sys/devices/usb/ttyUSB1"));
  EXPECT_THAT(calls, ElementsAre("ready", "changed"));
}

}  // namespace
}  // namespace patchbay::daemon
