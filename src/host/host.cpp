#include "host/host.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/device_source.h"
#include "host/file_trigger.h"
#include "host/glob_source.h"
#include "host/hints.h"
#include "host/host_reader.h"
#include "host/link_watch.h"
#include "host/refresher.h"
#include "host/scanner.h"
#include "host/sysfs_source.h"
#include "host/targets.h"
#include "host/udev/udev_database.h"
#include "host/udev/udev_pending.h"
#include "host/udev_source.h"
#include "host/unresponsive_reads.h"
#include "loop/work_queue.h"
#include "model/event_counts.h"
#include "model/facts.h"
#include "paths/mounts.h"
#include "paths/path_checker.h"
#include "paths/path_follower.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

/// Creates the objects of a host, and passes each result of a read to the objects that use it, and
/// to the HostListener.
class HostImpl final : public Host, public ReadListener {
 public:
  HostImpl(loop::EventLoop& loop, loop::Inotify& inotify, HostOptions options, HostQueryPtr query,
           HostListener& listener);

  void start() override;
  void refresh_if_known(const std::string& key) override { refresher_.refresh_if_known(key); }
  void assume(const std::string& key) override { refresher_.assume(key); }
  void rescan(const std::string& reason) override { scanner_.rescan(reason); }
  [[nodiscard]] EventCounts event_counts() const override;
  [[nodiscard]] EventSources event_sources() const override;

 private:
  // ReadListener
  void seen(const Reading& reading) override;
  void seen_partly(const DeviceFactsPtr& facts, std::optional<loop::Time> event_time) override {
    listener_.device_seen(facts, event_time);
  }
  void deferred(const std::string& key) override { udev_->defer(key); }
  void gone(const std::string& key, std::optional<loop::Time> event_time) override;

  [[nodiscard]] std::string unreliable_mount_of(const std::string& path) {
    return mounts_.unreliable_mount_of(options_.root.local_path(path));
  }
  [[nodiscard]] std::unique_ptr<paths::PathFollower> make_follower();
  void watch_mounts();
  void follow_devices();

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  const HostOptions options_;
  HostQueryPtr query_;
  HostListener& listener_;
  EventCounts counts_;
  paths::CachedMounts mounts_;
  Targets targets_;
  UdevPending pending_{false};
  HostReader reader_;
  Refresher refresher_;
  UnresponsiveReads unresponsive_;
  /// Separate queues: a hung read must not delay other kinds of work.
  loop::WorkQueue path_queue_{loop_};
  loop::WorkQueue listing_queue_{loop_};
  std::unique_ptr<paths::PathChecker> path_checker_;
  std::unique_ptr<paths::PathFollower> paths_;    ///< Null unless events are followed.
  std::optional<paths::MountWatch> mount_watch_;  ///< Null unless events are followed.
  std::optional<FileTriggers> files_;             ///< Null unless events are followed.
  DeviceSource devices_;
  SysfsSource sysfs_;
  GlobSource globs_;
  Scanner scanner_;
  std::optional<UdevSource> udev_;  ///< Null if no rule matches devices, or without events.
  std::optional<LinkWatch> links_;  ///< Null if no rule needs links, or without events.
};

HostImpl::HostImpl(loop::EventLoop& loop, loop::Inotify& inotify, HostOptions options,
                   HostQueryPtr query, HostListener& listener)
    : loop_(loop),
      inotify_(inotify),
      options_(std::move(options)),
      query_(std::move(query)),
      listener_(listener),
      targets_(query_->glob_patterns, options_.root),
      reader_(loop, query_, options_.root,
              [this](const auto& path) { return unreliable_mount_of(path); }),
      refresher_(loop, targets_, pending_, reader_, unresponsive_, globs_, *this),
      unresponsive_(loop, targets_, listener),
      path_checker_(paths::PathChecker::create(path_queue_, options_.root)),
      paths_(make_follower()),
      devices_(loop, DeviceTree(options_.root), query_, reader_.sysfs(), targets_, refresher_,
               unresponsive_, listener),
      sysfs_(loop, DeviceTree(options_.root), query_->sysfs_patterns, targets_, refresher_,
             unresponsive_, listener),
      globs_(
          loop,
          [this](loop::Task blocking, loop::WorkQueue::Callbacks callbacks) {
            return listing_queue_.run("", loop::kHungAfter, std::move(blocking),
                                      std::move(callbacks));
          },
          [this](const auto& path) { return unreliable_mount_of(path); }, paths_.get(), targets_,
          refresher_, unresponsive_, listener),
      scanner_(loop, {.query = query_,
                      .refresher = refresher_,
                      .globs = globs_,
                      .sysfs = sysfs_,
                      .devices = devices_,
                      .paths = paths_.get(),
                      .unresponsive = unresponsive_,
                      .listener = listener,
                      .counts = counts_}) {}

/// Null if events are not followed.
std::unique_ptr<paths::PathFollower> HostImpl::make_follower() {
  if (!options_.watch) return nullptr;
  const auto on_lost = [this] {
    if (inotify_.is_exhausted()) return scanner_.rescan("inotify watches are exhausted");
    scanner_.events_lost("inotify");
  };
  return std::make_unique<paths::PathFollower>(
      loop_, *path_checker_,
      paths::PathFollower::Options{
          .root = options_.root, .inotify = &inotify_, .on_lost = on_lost});
}

void HostImpl::start() {
  if (paths_) {
    files_.emplace(loop_, *paths_, refresher_);
    watch_mounts();
  }
  if (query_->follows_devices()) follow_devices();
  if (options_.watch && query_->follows_links) {
    links_.emplace(loop_, refresher_, scanner_, unresponsive_, counts_);
    links_->start();
  }
  scanner_.start(options_.watch ? options_.rescan_period : loop::Milliseconds(0));
}

/// A mount over a directory, or an unmount, causes no event in any directory.
void HostImpl::watch_mounts() {
  mount_watch_.emplace(loop_, [this] {
    mounts_.changed();
    paths_->refresh();
  });
  const char* const name = "/proc/self/mountinfo";
  if (const int error = mount_watch_->error(); paths::ResourceExhaustion::is_exhaustion(error)) {
    unresponsive_.source_refused(name, error, [this] { watch_mounts(); });
  } else {
    unresponsive_.source_opened(name);
  }
}

void HostImpl::follow_devices() {
  if (query_->databases && options_.root.is_recorded()) {
    warn_without_database(options_.root);
  } else if (query_->databases) {
    // The check blocks if the directory is on an unresponsive file system.
    loop_.work([] { warn_without_database({}); }, [] {});
  }
  if (!options_.watch) return;
  udev_.emplace(loop_, inotify_, query_, options_.receive_buffer_bytes,
                UdevSource::Receivers{.hints = refresher_,
                                      .rescans = scanner_,
                                      .unresponsive = unresponsive_,
                                      .sysfs = sysfs_,
                                      .pending = pending_,
                                      .counts = counts_});
  udev_->start();
}

EventCounts HostImpl::event_counts() const {
  EventCounts counts = counts_;
  counts.reads = refresher_.reads();
  return counts;
}

EventSources HostImpl::event_sources() const {
  EventSources sources;
  if (udev_) udev_->add_sources(sources);
  if (links_) sources.push_back(links_->source());
  if (query_->follows_paths()) sources.push_back({"paths"});
  return sources;
}

void HostImpl::seen(const Reading& reading) {
  if (udev_ && !reading.record_id.empty()) udev_->has_record(reading.record_id, reading.facts->key);
  const bool deferred = files_ && files_->should_defer(reading);
  if (!deferred) listener_.device_seen(reading.facts, reading.event_time);
  if (reading.event_time) listener_.device_event(reading.facts->key);
  if (files_ && !deferred) files_->follow(reading);
}

void HostImpl::gone(const std::string& key, std::optional<loop::Time> event_time) {
  if (files_) files_->forget(key);
  listener_.device_gone(key, event_time);
}

}  // namespace

std::unique_ptr<Host> Host::create(loop::EventLoop& loop, loop::Inotify& inotify,
                                   HostOptions options, HostQueryPtr query,
                                   HostListener& listener) {
  return std::make_unique<HostImpl>(loop, inotify, std::move(options), std::move(query), listener);
}

}  // namespace patchbay::host
