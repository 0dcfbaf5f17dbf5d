#include "host/scanner.h"

#include <utility>
#include <vector>

#include "base/log.h"

namespace patchbay::host {

void Scanner::start(loop::Milliseconds period) {
  if (period.count() > 0) period_ = loop_.every(period, [this] { rescan("slow rescan"); });
  pending_listings_ = 3;
  scan_static_names();
  uses_.globs.start([this] { listing_done(); });
  uses_.sysfs.start([this] { listing_done(); });
  uses_.devices.start([this] { listing_done(); });
}

void Scanner::events_lost(const std::string& source) {
  if (rescan_requested_) return;
  ++uses_.counts.overflows;
  log::info({"device events were lost: rescanning", log::EventKind::degraded},
            {{"source", source}});
  rescan("events were lost");
}

void Scanner::rescan(const std::string& reason) {
  if (std::exchange(rescan_requested_, true)) return;
  log::debug("rescanning", {{"reason", reason}});
  loop_.post(weak_self_.guard(&Scanner::begin_rescan));
}

void Scanner::begin_rescan() {
  rescan_requested_ = false;
  ++uses_.counts.rescans;
  if (first_scan_done_) uses_.refresher.drop_scans();
  if (uses_.paths != nullptr) uses_.paths->refresh();
  scan_static_names();
  uses_.globs.rescan();
  uses_.sysfs.rescan();
  uses_.devices.rescan();
}

/// A static name never changes, except for the files that rules compare for it.
void Scanner::scan_static_names() {
  const HostQuery& query = *uses_.query;
  std::vector<std::string> keys;
  for (const std::string& name : query.static_names) keys.push_back(static_key(name));
  if (query.files) uses_.refresher.scan(keys, ReadReason::rescan);
  uses_.refresher.scan(std::move(keys), ReadReason::found);
}

void Scanner::listing_done() {
  if (--pending_listings_ > 0) return;
  uses_.refresher.when_caught_up([this] {
    first_scan_done_ = true;
    uses_.unresponsive.report();
    uses_.listener.first_scan_done();
  });
}

}  // namespace patchbay::host
