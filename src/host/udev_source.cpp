#include "host/udev_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "host/facts/device_list.h"
#include "host/facts/lineage.h"
#include "host/facts/udev_record.h"
#include "paths/glob_walk.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

/// libudev's filter program has 512 steps; each subsystem needs a few.
constexpr size_t kMostFilterSubsystems = 50;

constexpr const char* kKernelEvents = "the kernel's events";
constexpr const char* kUdevEvents = "udev's events";

/// Delay of the liveness check while a device waits for udevd's queue.
constexpr loop::Milliseconds kCheckAfter{1000};

void write_log(log::Level level, const std::string& message) {
  if (level == log::Level::warning) {
    log::warning(message);
  } else {
    log::info(message);
  }
}

}  // namespace

UdevSource::UdevSource(loop::EventLoop& loop, loop::Inotify& inotify, HostQueryPtr query,
                       size_t receive_buffer_bytes, const Receivers& receivers)
    : loop_(loop),
      query_(std::move(query)),
      receive_buffer_bytes_(receive_buffer_bytes),
      hints_(receivers.hints),
      rescans_(receivers.rescans),
      unresponsive_(receivers.unresponsive),
      sysfs_(receivers.sysfs),
      pending_(receivers.pending),
      counts_(receivers.counts),
      udevd_(inotify, kUdevDirectory,
             {.on_udevd = [this](bool runs) { on_udevd(runs); },
              .on_queue = [this](bool exists) { on_queue(exists); }}),
      settle_detector_(
          loop, {.queue_exists = [this] { return udevd_.queue_exists_now(); },
                 .on_settled = [this](loop::Time end) { refresh_all(pending_.queue_ended(end)); }}),
      database_(loop, inotify, std::string(kUdevDirectory) + "/data", *this),
      report_(write_log) {}

void UdevSource::start() {
  udevd_.start();
  pending_.set_udevd(udevd_.udevd_runs());
  pending_.set_queue(udevd_.queue_exists());
  report_.started(udevd_.udevd_runs());
  open_kernel_group();
  open_udev_group();
  log_buffer_size();
}

void UdevSource::add_sources(EventSources& sources) const {
  sources.push_back(
      {"kernel", kernel_ ? "" : "kernel events unavailable: using udev events and rescans"});
  std::string degraded;
  if (!udevd_.udevd_runs()) {
    degraded = "no udev daemon: using kernel events directly";
  } else if (ignore_udevd_) {
    degraded = "udev events and database unavailable: using kernel events directly";
  } else if (!udev_) {
    degraded = "udev events unavailable: following the udev database";
  }
  sources.push_back({"udev", std::move(degraded)});
}

void UdevSource::defer(const std::string& key) {
  if (pending_.udevd_is_busy()) {
    pending_.defer(key, loop_.now());
    arm_timer();
  } else {
    hints_.refresh(key);
  }
}

void UdevSource::has_record(const std::string& id, const std::string& key) {
  if (!report_.received_udev_event()) records_[id] = key;
}

bool UdevSource::open_kernel_group() {
  auto monitor =
      KernelMonitor::open(loop_, receive_buffer_bytes_,
                          {.on_event = [this](const UdevEvent& event) { on_kernel(event); },
                           .on_overflow = [this] { rescans_.events_lost("the kernel"); }});
  if (!monitor) {
    cannot_open(monitor.error(), kKernelEvents, &UdevSource::open_kernel_group);
    return false;
  }
  kernel_ = *std::move(monitor);
  unresponsive_.source_opened(kKernelEvents);
  return true;
}

bool UdevSource::open_udev_group() {
  auto monitor = UdevMonitor::open(
      loop_, {.receive_buffer_bytes = receive_buffer_bytes_, .subsystems = udev_filter()},
      {.on_event = [this](const UdevEvent& event) { on_udev(event); },
       .on_overflow = [this] { rescans_.events_lost("udev"); }});
  if (monitor) {
    udev_ = *std::move(monitor);
    unresponsive_.source_opened(kUdevEvents);
  } else {
    udev_.reset();
    cannot_open(monitor.error(), kUdevEvents, &UdevSource::open_udev_group);
  }
  report_.monitor_opened();
  database_.start();
  return udev_ != nullptr;
}

void UdevSource::cannot_open(const Error& error, const std::string& name,
                             bool (UdevSource::*open)()) {
  if (paths::ResourceExhaustion::is_exhaustion(error.number)) {
    unresponsive_.source_refused(name, error.number, [this, open] {
      if ((this->*open)()) rescans_.rescan("event source is available again");
    });
  } else {
    log::warning({"event source unavailable", log::EventKind::degraded},
                 {{"reason", error.message}});
  }
}

void UdevSource::log_buffer_size() const {
  if (!kernel_ && !udev_) return;
  const size_t granted = kernel_ ? kernel_->receive_buffer_bytes() : udev_->receive_buffer_bytes();
  if (granted >= receive_buffer_bytes_) return;
  log::info(
      "receive buffer for device events is smaller than requested",
      {{"requested", std::to_string(receive_buffer_bytes_)}, {"granted", std::to_string(granted)}});
}

std::vector<std::string> UdevSource::udev_filter() const {
  // A sysfs pattern may find a device of any subsystem.
  const auto& wanted = query_->subsystems;
  const bool literal = std::ranges::none_of(wanted, [](const auto& s) {
    return paths::has_wildcard(s) || s.find('\\') != std::string::npos;
  });
  if (!literal || query_->databases_above || !query_->sysfs_patterns.empty() ||
      wanted.size() > kMostFilterSubsystems) {
    return {};
  }
  return wanted;
}

void UdevSource::on_kernel(const UdevEvent& event) {
  ++counts_.kernel;
  sysfs_.tree_changed(event.action == UdevEvent::Action::remove);
  // The disks of the NVMe subsystem have facts of this controller, but are not below it.
  if (event.subsystem == "nvme") {
    hints_.refresh_around(std::string("/sys/devices") + kNvmeSubsystems);
  }
  if (event.action == UdevEvent::Action::remove) {
    pending_.kernel_remove(event.syspath, event.seqnum, loop_.now());
    arm_timer();
    on_device_removed(event);
    return;
  }
  if (!event.old_syspath.empty()) {
    hints_.gone(event.old_syspath);
    hints_.refresh_around(event.old_syspath);
  }
  if (!covers(query_->subsystems, event.subsystem)) {
    hints_.refresh_if_known(event.syspath);
  } else {
    const DeviceFacts event_facts = event.facts();
    if (may_be_read(event_facts, event.seqnum)) hints_.refresh_from_event(event_facts);
    arm_timer();
  }
  hints_.refresh_around(event.syspath);
}

bool UdevSource::may_be_read(const DeviceFacts& event_facts, uint64_t seqnum) {
  const loop::Time now = loop_.now();
  if (query_->wanted(event_facts).awaits_udev())
    return pending_.kernel_event(event_facts.key, seqnum, now);
  pending_.kernel_event_without_udev(event_facts.key, seqnum, now);
  return true;
}

void UdevSource::on_udev(const UdevEvent& event) {
  ++counts_.udev;
  if (!report_.received_udev_event()) {
    // The messages contain the same as the records, and each record causes five inotify events.
    database_.stop();
    records_.clear();
  }
  report_.udev_message(loop_.now());
  note_udevd_activity();
  sysfs_.tree_changed(event.action == UdevEvent::Action::remove);
  if (event.action == UdevEvent::Action::remove) {
    if (!pending_.udev_remove(event.syspath, event.seqnum)) return;
    if (!kernel_) return on_device_removed(event);
    // The kernel has reported this before, or will; the event may belong to an earlier plug.
    hints_.refresh_if_known(event.syspath);
    hints_.refresh_around(event.syspath);
    return;
  }
  if (!event.old_syspath.empty()) hints_.refresh_if_known(event.old_syspath);
  if (pending_.udev_event(event.syspath, event.seqnum)) {
    if (covers(query_->subsystems, event.subsystem)) {
      hints_.refresh(event.syspath);
    } else {
      hints_.refresh_if_known(event.syspath);
    }
  }
  // The kernel's event caused a read of the related devices already. Records that udev has just
  // written may have changed since.
  if (!kernel_ || query_->databases_above) hints_.refresh_around(event.syspath);
}

void UdevSource::on_device_removed(const UdevEvent& event) {
  hints_.gone(event.syspath);
  hints_.refresh_around(event.syspath);
}

void UdevSource::record_written() {
  ++counts_.database;
  report_.udevd_activity(loop_.now());
  note_udevd_activity();
}

void UdevSource::record_found(const std::string& id, const std::string& syspath) {
  if (const auto known = records_.find(id); known != records_.end() && known->second != syspath) {
    hints_.refresh_if_known(known->second);  // Renamed, or the number has another device now.
  }
  // If no kernel event arrives at all, as in a user namespace, that also proves that udev's
  // messages are missing.
  if (pending_.awaits_udev_event(syspath) || counts_.kernel == 0) {
    report_.database_record(loop_.now());
    arm_timer();
  }
  sysfs_.tree_changed(false);
  if (pending_.database_record(syspath)) hints_.refresh(syspath);
  if (counts_.kernel == 0 || query_->databases_above) hints_.refresh_around(syspath);
}

void UdevSource::record_deleted(const std::string& id) {
  const auto known = records_.find(id);
  if (known == records_.end()) return;
  const std::string key = std::move(known->second);
  records_.erase(known);
  sysfs_.tree_changed(true);
  hints_.refresh_if_known(key);
}

void UdevSource::on_udevd(bool runs) {
  ignore_udevd_ = false;
  refresh_all(pending_.set_udevd(runs));
  if (!runs) return;
  pending_.set_queue(udevd_.queue_exists());
  // Without udevd, libudev silently joins no group.
  open_udev_group();
  rescans_.rescan("udevd has started");
}

void UdevSource::on_queue(bool exists) {
  report_.udevd_activity(loop_.now());
  note_udevd_activity();
  pending_.set_queue(exists);
  if (exists) return;
  settle_detector_.queue_ended();
  timer_.reset();  // The timeout is shorter now.
  arm_timer();
}

void UdevSource::note_udevd_activity() {
  if (!std::exchange(ignore_udevd_, false)) return;
  pending_.set_udevd(udevd_.udevd_runs());
  pending_.set_queue(udevd_.queue_exists());
}

/// A udevd that was killed leaves its socket and its queue marker behind.
void UdevSource::check_udevd_alive() {
  check_.reset();
  if (!pending_.udevd_is_busy() || !pending_.blocks_some()) return;
  if (report_.quiet_for(kCheckAfter, loop_.now()) && udevd_.udevd_is_dead()) {
    return stop_waiting(
        "udevd is not running but its queue file exists: using kernel events directly");
  }
  arm_timer();
}

void UdevSource::stop_waiting(const char* message) {
  log::warning(message, {{"path", std::string(kUdevDirectory) + "/queue"}});
  ignore_udevd_ = true;
  refresh_all(pending_.set_udevd(false));
}

void UdevSource::refresh_all(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) hints_.refresh(key);
}

void UdevSource::arm_timer() {
  if (!check_ && pending_.udevd_is_busy() && pending_.blocks_some()) {
    check_ = loop_.after(kCheckAfter, [this] { check_udevd_alive(); });
  }
  if (timer_) return;
  auto due = pending_.next_expiry();
  if (const auto check = report_.next_check(); check && (!due || *check < *due)) due = check;
  if (!due) return;
  const auto delay = std::chrono::ceil<loop::Milliseconds>(*due - loop_.now());
  timer_ = loop_.after(std::max(delay, loop::Milliseconds(1)), [this] { on_timer(); });
}

void UdevSource::on_timer() {
  timer_.reset();
  const bool busy = pending_.udevd_is_busy();
  const auto timed_out = pending_.expire(loop_.now());
  refresh_all(timed_out);
  if (busy) {
    if (!timed_out.empty() && report_.quiet_for(UdevPending::kBusyTimeout, loop_.now())) {
      stop_waiting("udevd is unresponsive: using kernel events directly");
    }
  } else if (!timed_out.empty() && report_.is_udevd_unreachable(loop_.now())) {
    ignore_udevd_ = true;
    refresh_all(pending_.set_udevd(false));
  }
  report_.check(loop_.now());
  arm_timer();
}

}  // namespace patchbay::host
