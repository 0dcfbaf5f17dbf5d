#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "base/event_counts.h"
#include "base/unique_fd.h"
#include "host/hints.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::host {

/// Hears of the links of network interfaces: the kernel sends no uevent when a carrier comes or
/// goes, but tells it on rtnetlink. The interface is looked at then, and the devices above it,
/// whose attributes may show it, too. It reaches the interfaces of our network namespace. Loop
/// thread.
class LinkWatch {
 public:
  LinkWatch(loop::EventLoop& loop, Hints& hints, EventCounts& counts)
      : loop_(loop), hints_(hints), counts_(counts) {}

  /// What there is by then is for the caller to scan. That links cannot be heard is said, once.
  void start();
  [[nodiscard]] EventSource source() const {
    return {"links",
            socket_ ? "" : "rtnetlink unavailable: link changes are detected by rescans only"};
  }

 private:
  /// Flags, state and carrier: what else a message tells of is not looked at.
  using LinkState = std::tuple<unsigned, unsigned, unsigned>;

  void receive(loop::FdEvent event);
  void on_messages(const char* data, size_t size);
  void on_link(const char* message, size_t size);
  void schedule_refresh();

  loop::EventLoop& loop_;
  Hints& hints_;
  EventCounts& counts_;
  UniqueFd socket_;
  loop::Subscription reading_;
  std::map<uint32_t, LinkState> links_;  ///< By index, those heard of.
  std::map<uint32_t, std::string> changed_;
  bool all_changed_ = false;
  bool refresh_scheduled_ = false;
  loop::WeakSelf<LinkWatch> weak_self_{this};
};

}  // namespace patchbay::host
