#include "host/source_report.h"

#include <utility>

namespace patchbay::host {

void SourceReport::started(bool udevd_runs) {
  if (udevd_runs || std::exchange(said_no_udevd_, true)) return;
  say_(log::Level::info, "no udev daemon: kernel events are used as they are");
}

void SourceReport::udev_message(loop::Time now) {
  udev_heard_ = true;
  last_heard_ = now;
}

void SourceReport::database_record(loop::Time now) {
  if (!udev_heard_ && !said_no_messages_ && !first_record_) first_record_ = now;
}

bool SourceReport::silence(loop::Time now) {
  if (last_heard_ && now < *last_heard_ + kGrace) return false;
  if (!last_heard_ && !std::exchange(said_silence_, true)) {
    say_(log::Level::warning,
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
  if (udev_heard_ || std::exchange(said_no_messages_, true)) return;
  say_(log::Level::info, "udev's messages do not reach this namespace, its database does");
}

}  // namespace patchbay::host
