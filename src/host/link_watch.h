#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "base/unique_fd.h"
#include "host/hints.h"
#include "host/unresponsive_reads.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "model/event_counts.h"

namespace patchbay::host {

/// Requests a read of a network interface when its link goes up or down. The kernel reports such a
/// change on rtnetlink, not by a uevent. The devices above the interface are read, too: their
/// attributes may depend on the link. Covers the interfaces of our network namespace. Loop thread.
class LinkWatch {
 public:
  /// The references must outlive this.
  LinkWatch(loop::EventLoop& loop, Hints& hints, RescanRequests& rescans,
            UnresponsiveReads& unresponsive, EventCounts& counts)
      : loop_(loop),
        hints_(hints),
        rescans_(rescans),
        unresponsive_(unresponsive),
        counts_(counts) {}

  /// Opens the socket. The caller scans the interfaces afterwards. A failure is logged once.
  void start();
  [[nodiscard]] EventSource source() const {
    return {"links",
            socket_ ? "" : "rtnetlink unavailable: link changes are detected by rescans only"};
  }

 private:
  /// Flags, state and carrier. Other changes in a message are ignored.
  using LinkState = std::tuple<unsigned, unsigned, unsigned>;

  void receive(loop::FdEvent event);
  void on_messages(const char* data, size_t size);
  void on_link(const char* message, size_t size);
  void schedule_refresh();

  loop::EventLoop& loop_;
  Hints& hints_;
  RescanRequests& rescans_;
  UnresponsiveReads& unresponsive_;
  EventCounts& counts_;
  UniqueFd socket_;
  loop::Subscription reading_;
  std::map<uint32_t, LinkState> links_;  ///< By interface index, as of the last message.
  std::map<uint32_t, std::string> changed_;
  bool all_changed_ = false;
  bool refresh_scheduled_ = false;
  loop::WeakSelf<LinkWatch> weak_self_{this};
};

}  // namespace patchbay::host
