#include "host/source_report.h"

#include <utility>

namespace patchbay::host {

void SourceReport::started(bool udevd_runs) {
  if (udevd_runs || std::exchange(logged_no_udevd_, true)) return;
  log_(log::Level::info, "no udev daemon: kernel events are used as they are");
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
         "udevd seems to run, but neither its messages nor its database reach this process: "
         "devices are taken as the kernel tells them; is /run/udev the host's?");
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
  log_(log::Level::info, "udev's messages do not reach this namespace, its database does");
}

}  // namespace patchbay::host
