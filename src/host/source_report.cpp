#include "host/source_report.h"

#include <utility>

namespace patchbay::host {

void SourceReport::started(bool udevd_runs) {
  if (udevd_runs || std::exchange(logged_no_udevd_, true)) return;
  log_(log::Level::info, "no udev daemon: using kernel events directly");
}

void SourceReport::udev_message(loop::Time now) {
  received_udev_event_ = true;
  last_activity_ = now;
}

void SourceReport::database_record(loop::Time now) {
  if (!received_udev_event_ && !logged_no_messages_ && !first_record_) first_record_ = now;
}

bool SourceReport::is_udevd_unreachable(loop::Time now) {
  if (last_activity_ && now < *last_activity_ + kGrace) return false;
  if (!last_activity_ && !std::exchange(logged_unreachable_, true)) {
    log_(log::Level::warning,
         "udevd seems to run, but its events and database are not visible: using kernel events "
         "directly; mount the host's /run/udev");
  }
  return true;
}

std::optional<loop::Time> SourceReport::next_check() const {
  if (!first_record_) return std::nullopt;
  return *first_record_ + kGrace;
}

void SourceReport::check(loop::Time now) {
  if (!first_record_ || now < *first_record_ + kGrace) return;
  first_record_.reset();
  if (received_udev_event_ || std::exchange(logged_no_messages_, true)) return;
  log_(log::Level::info,
       "udev events do not reach this network namespace: following the udev database");
}

}  // namespace patchbay::host
