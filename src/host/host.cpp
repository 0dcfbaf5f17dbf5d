#include "host/host.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/log.h"
#include "host/facts/device_list.h"
#include "host/facts/fact_reader.h"
#include "host/file_trigger.h"
#include "host/glob_source.h"
#include "host/hints.h"
#include "host/link_watch.h"
#include "host/missing_answers.h"
#include "host/read_slice.h"
#include "host/refresher.h"
#include "host/sysfs_source.h"
#include "host/udev/udev_database.h"
#include "host/udev_source.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"
#include "paths/mount_watch.h"
#include "paths/mounts.h"
#include "paths/path_checker.h"
#include "paths/path_follower.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

class HostImpl final : public Host, public Hints {
 public:
  HostImpl(loop::EventLoop& loop, loop::Inotify& inotify, HostOptions options)
      : loop_(loop), inotify_(inotify), options_(std::move(options)) {}

  Result<void> start(HostQueryPtr query, HostListener& listener) override;
  [[nodiscard]] EventCounts event_counts() const override;
  [[nodiscard]] EventSources event_sources() const override;
  void assume(const std::string& key) override { refresher_->assume(key); }

  // Hints
  void refresh(const std::string& key) override;
  void refresh_from_event(const DeviceFacts& facts) override;
  void refresh_if_known(const std::string& key) override;
  void refresh_around(const std::string& syspath) override;
  void gone(const std::string& key) override { refresher_->gone(key); }
  void scan(std::vector<std::string> keys, ReadReason reason) override;
  [[nodiscard]] std::vector<std::string> reported_below(
      const std::string& directory) const override;
  void pattern_truncated(const std::string& pattern, const std::string& why) override {
    listener_->pattern_truncated(pattern, why);
  }
  void pattern_responsiveness(const std::string& pattern, const std::string& directory,
                              paths::Responsiveness responsiveness) override {
    missing_.pattern(pattern, directory, responsiveness);
  }
  void listing_refused(const std::string& directory, const std::vector<std::string>& patterns,
                       int error, std::function<void()> again) override {
    missing_.listing_refused(directory, patterns, error, std::move(again));
  }
  void listed(const std::string& directory) override { missing_.listed(directory); }
  void source_refused(const std::string& source, int error, std::function<void()> again) override {
    missing_.source_refused(source, error, std::move(again));
  }
  void source_opened(const std::string& source) override { missing_.source_opened(source); }
  [[nodiscard]] std::string mount_of(const std::string& key) override;
  void tree_changed(bool device_removed) override { sysfs_->tree_changed(device_removed); }
  void events_lost(const std::string& source) override;
  void rescan(const std::string& reason) override;

 private:
  void make_refresher();
  void watch_mounts();
  [[nodiscard]] Target target(const std::string& key, ReadReason reason) const;
  [[nodiscard]] std::vector<std::string> patterns_of(const std::string& key) const;
  void seen(const Reading& reading);
  void follow_files(const std::string& key, const std::vector<std::string>& files);
  void entity_gone(const std::string& key, std::optional<loop::Time> event_time);
  void scan_static_names();
  void paths_lost();
  void begin_rescan();
  void scan_devices();
  void apply(DeviceScan scan);
  void listing_done();

  loop::EventLoop& loop_;
  loop::Inotify& inotify_;
  HostOptions options_;
  HostQueryPtr query_;
  HostListener* listener_ = nullptr;
  EventCounts counts_;

  std::shared_ptr<paths::NonblockingStat> nonblocking_stat_ =
      std::make_shared<paths::NonblockingStat>(options_.root);
  std::shared_ptr<NonblockingSysfs> nonblocking_sysfs_ = std::make_shared<NonblockingSysfs>();
  std::unique_ptr<Refresher> refresher_;
  MissingAnswers missing_{
      loop_,
      {.report = [this](const auto& all) { listener_->unanswered(all); },
       .patterns_of = [this](const auto& key) { return patterns_of(key); },
       .read_again = [this](const auto& key) { refresher_->read_again(key); },
       .when_caught_up = [this](auto task) { refresher_->when_caught_up(std::move(task)); }}};
  /// Separate queues: a hung read must not delay other kinds of work.
  loop::WorkQueue fact_queue_{loop_};
  loop::WorkQueue path_queue_{loop_};
  loop::WorkQueue listing_queue_{loop_};
  std::unique_ptr<paths::PathChecker> path_checker_ =
      paths::PathChecker::create(path_queue_, options_.root);
  std::optional<paths::PathFollower> paths_;  ///< Null unless events are followed.
  std::map<std::string, FileTrigger> files_;  ///< By key: entities that depend on files.
  std::unique_ptr<GlobSource> globs_;
  std::optional<paths::MountWatch> mount_watch_;  ///< Null unless events are followed.
  std::optional<paths::Mounts> mounts_;           ///< Read when needed. Null after a change.
  std::unique_ptr<SysfsSource> sysfs_;
  std::unique_ptr<UdevSource>
      udev_;  ///< Null if no rule matches devices, or events are not followed.
  std::unique_ptr<LinkWatch> links_;  ///< Null if no rule needs links, or without events.
  loop::Subscription slow_rescan_;
  bool rescan_asked_ = false;  ///< A rescan begins in the next loop iteration.
  bool scanning_ = false;
  bool scan_again_ = false;
  int pending_listings_ = 0;  ///< Running listings of the first scan.
  bool first_scan_done_ = false;
  loop::WeakSelf<HostImpl> weak_self_{this};
};

Result<void> HostImpl::start(HostQueryPtr query, HostListener& listener) {
  if (query_) return fail("the host is already started");
  query_ = std::move(query);
  listener_ = &listener;
  make_refresher();
  sysfs_ = std::make_unique<SysfsSource>(loop_, query_->sysfs_patterns, *this);
  if (options_.watch) {
    paths_.emplace(
        loop_, *path_checker_,
        paths::PathFollower::Options{
            .root = options_.root, .inotify = &inotify_, .on_lost = [this] { paths_lost(); }});
  }
  if (paths_) watch_mounts();
  globs_ = std::make_unique<GlobSource>(
      loop_,
      [this](loop::Task blocking, loop::WorkQueue::Callbacks callbacks) {
        return listing_queue_.run("", loop::kHungAfter, std::move(blocking), std::move(callbacks));
      },
      paths_ ? &*paths_ : nullptr, query_->glob_patterns, options_.root, *this);
  const bool devices = query_->follows_devices();
  if (devices && query_->databases) warn_without_database();
  if (options_.watch && devices) {
    udev_ = std::make_unique<UdevSource>(loop_, inotify_, query_, options_.receive_buffer_bytes,
                                         *this, counts_);
    udev_->start();
  }
  if (options_.watch && query_->follows_links) {
    links_ = std::make_unique<LinkWatch>(loop_, *this, counts_);
    links_->start();
  }
  if (options_.watch && options_.rescan_period.count() > 0) {
    slow_rescan_ = loop_.every(options_.rescan_period, [this] { rescan("slow rescan"); });
  }
  pending_listings_ = 3;
  scan_static_names();
  globs_->start([this] { listing_done(); });
  sysfs_->start([this] { listing_done(); });
  scan_devices();
  return {};
}

/// A mount over a directory, or an unmount, causes no event in any directory.
void HostImpl::watch_mounts() {
  mount_watch_.emplace(loop_, [this] {
    mounts_.reset();
    paths_->refresh();
  });
  const char* const name = "/proc/self/mountinfo";
  if (const int error = mount_watch_->error(); paths::ResourceExhaustion::is_exhaustion(error)) {
    source_refused(name, error, [this] { watch_mounts(); });
  } else {
    source_opened(name);
  }
}

EventCounts HostImpl::event_counts() const {
  EventCounts counts = counts_;
  if (refresher_) counts.reads = refresher_->reads();
  return counts;
}

EventSources HostImpl::event_sources() const {
  EventSources sources;
  if (udev_) udev_->add_sources(sources);
  if (links_) sources.push_back(links_->source());
  if (query_->follows_paths()) sources.push_back({"paths"});
  return sources;
}

void HostImpl::refresh(const std::string& key) {
  if (!udev_ || !udev_->blocks(key)) refresher_->hint(key);
}

void HostImpl::refresh_from_event(const DeviceFacts& facts) {
  if (!udev_->blocks(facts.key)) refresher_->hint_from_event(facts);
}

void HostImpl::refresh_if_known(const std::string& key) {
  if (refresher_->knows(key)) refresh(key);
}

void HostImpl::refresh_around(const std::string& syspath) {
  for (const std::string& key : refresher_->reported_below(syspath)) refresh(key);
  if (query_->sysfs_patterns.empty()) return;
  for (std::string above = syspath; above.size() > 1;) {
    above.resize(above.rfind('/'));
    if (sysfs_->finds(above)) refresh_if_known(above);
  }
}

void HostImpl::scan(std::vector<std::string> keys, ReadReason reason) {
  refresher_->scan(std::move(keys), reason);
}

std::vector<std::string> HostImpl::reported_below(const std::string& directory) const {
  return refresher_->reported_below(directory);
}

void HostImpl::events_lost(const std::string& source) {
  if (rescan_asked_) return;
  ++counts_.overflows;
  log::info("device events were lost: rescanning", {{"source", source}});
  rescan("events were lost");
}

void HostImpl::paths_lost() {
  if (inotify_.is_exhausted()) return rescan("inotify watches are exhausted");
  events_lost("inotify");
}

void HostImpl::rescan(const std::string& reason) {
  if (!query_ || std::exchange(rescan_asked_, true)) return;
  log::debug("rescanning", {{"reason", reason}});
  loop_.post(weak_self_.guard(&HostImpl::begin_rescan));
}

void HostImpl::make_refresher() {
  const auto inline_reader = std::make_shared<const FactReader>(query_, options_.root);
  refresher_ = std::make_unique<Refresher>(Refresher::Callbacks{
      .now = [this] { return loop_.now(); },
      .target = [this](const auto& key, ReadReason u) { return target(key, u); },
      .read_cached =
          [this, inline_reader](const Target& target) {
            return inline_reader->try_read_cached(target, *nonblocking_stat_);
          },
      .read_from_event =
          [this, inline_reader](const Target& target, const DeviceFacts& event_facts) {
            return inline_reader->try_read_from_event(target, event_facts, *nonblocking_sysfs_);
          },
      .read = [query = query_, root = options_.root, stat = nonblocking_stat_](
                  size_t, const auto& progress) { return read_slice(query, root, stat, progress); },
      .run =
          [this](loop::Task blocking, loop::WorkQueue::Callbacks callbacks) {
            return fact_queue_.run("", loop::kHungAfter, std::move(blocking), std::move(callbacks));
          },
      .must_discard = [this](const auto& key) { return udev_ && udev_->blocks(key); },
      .seen = [this](const Reading& reading) { seen(reading); },
      .seen_partly = [this](const auto& facts,
                            auto event_time) { listener_->device_seen(facts, event_time); },
      .link_checked = [this](const auto& key, bool is_link) { globs_->path_checked(key, is_link); },
      .deferred = [this](const auto& key) { udev_->defer(key); },
      .exhausted = [this](const auto& key, int error) { missing_.entity_refused(key, error); },
      .gone = [this](const auto& key, auto event_time) { entity_gone(key, event_time); },
      .responsiveness_changed =
          [this](const auto& key, paths::Responsiveness responsiveness, const auto& now) {
            missing_.entity_read(key, responsiveness, now);
          },
      // Drivers behind /sys do not hang together.
      .mount = [this](const auto& key) { return key.starts_with("/sys/") ? "" : mount_of(key); },
  });
}

/// Called only for unresponsive entities, but then for many keys: the mount table is read for the
/// first one, and again after a change.
std::string HostImpl::mount_of(const std::string& key) {
  if (!key.starts_with('/')) return {};
  if (!mounts_ || missing_.empty()) mounts_ = paths::Mounts::read();
  return mounts_->unreliable_mount_of(options_.root.local_path(key));
}

std::vector<std::string> HostImpl::patterns_of(const std::string& key) const {
  std::vector<std::string> patterns;
  for (const FoundBy& found : target(key, ReadReason::event).found_by) {
    patterns.push_back(found.pattern);
  }
  return patterns;
}

Target HostImpl::target(const std::string& key, ReadReason reason) const {
  Target target{.key = key, .found_by = sysfs_->found_by(key)};
  target.by_sysfs = !target.found_by.empty();
  const FoundByList by_glob = globs_->found_by(key);
  target.by_glob = !by_glob.empty();
  target.found_by = target.by_sysfs ? target.found_by.with(by_glob) : by_glob;
  target.defer_uninitialised = reason == ReadReason::found && udev_ && udev_->udevd_busy();
  return target;
}

void HostImpl::seen(const Reading& reading) {
  if (udev_ && !reading.record_id.empty()) udev_->has_record(reading.record_id, reading.facts->key);
  const bool all_files = std::ranges::all_of(reading.files, [&](const std::string& path) {
    return reading.facts->known.has(Fact::file, path);
  });
  const auto files = files_.find(reading.facts->key);
  const bool deferred = files != files_.end() && files->second.should_defer(all_files);
  if (!deferred) listener_->device_seen(reading.facts, reading.event_time);
  if (reading.event_time) listener_->device_event(reading.facts->key);
  if (paths_ && !deferred) follow_files(reading.facts->key, reading.files);
}

void HostImpl::follow_files(const std::string& key, const std::vector<std::string>& files) {
  if (files.empty()) {
    files_.erase(key);
    return;
  }
  const auto trigger = files_.try_emplace(key, loop_, *paths_, [this, key] { refresh(key); }).first;
  trigger->second.follow(files);
}

void HostImpl::entity_gone(const std::string& key, std::optional<loop::Time> event_time) {
  files_.erase(key);
  listener_->device_gone(key, event_time);
}

/// A static name never changes, except for the files that rules compare for it.
void HostImpl::scan_static_names() {
  std::vector<std::string> keys;
  for (const std::string& name : query_->static_names) keys.push_back(static_key(name));
  if (query_->files) refresher_->scan(keys, ReadReason::rescan);
  refresher_->scan(std::move(keys), ReadReason::found);
}

void HostImpl::begin_rescan() {
  rescan_asked_ = false;
  ++counts_.rescans;
  if (first_scan_done_) refresher_->drop_scans();
  if (paths_) paths_->refresh();
  scan_static_names();
  globs_->rescan();
  sysfs_->rescan();
  scan_devices();
}

void HostImpl::scan_devices() {
  if (std::exchange(scanning_, true)) {
    scan_again_ = true;
    return;
  }
  const auto scan = std::make_shared<DeviceScan>();
  scan->reported = refresher_->reported_below("/sys");
  loop_.work(
      [scan, query = query_, sysfs = nonblocking_sysfs_] {
        sysfs->learn();
        scan->list(query->subsystems);
      },
      weak_self_.guard([scan](HostImpl& host) { host.apply(std::move(*scan)); }));
}

void HostImpl::apply(DeviceScan scan) {
  scanning_ = false;
  if (scan.exhaustion_errno != 0) {
    return missing_.listing_refused(kDeviceTree, {}, scan.exhaustion_errno,
                                    weak_self_.guard([](HostImpl& host) { host.scan_devices(); }));
  }
  missing_.listed(kDeviceTree);
  listener_->nodes_online(scan.nodes_online);
  for (const std::string& key : scan.missing) {
    // A directory that only a sysfs pattern finds is never listed by subsystem.
    if (!sysfs_->finds(key)) refresh(key);
  }
  refresher_->scan(std::move(scan.unknown), ReadReason::found);
  refresher_->scan(std::move(scan.reported), ReadReason::rescan);
  if (pending_listings_ > 0) listing_done();
  if (std::exchange(scan_again_, false)) scan_devices();
}

void HostImpl::listing_done() {
  if (--pending_listings_ > 0) return;
  refresher_->when_caught_up([this] {
    first_scan_done_ = true;
    missing_.report();
    listener_->first_scan_done();
  });
}

}  // namespace

std::unique_ptr<Host> Host::create(loop::EventLoop& loop, loop::Inotify& inotify,
                                   HostOptions options) {
  return std::make_unique<HostImpl>(loop, inotify, std::move(options));
}

}  // namespace patchbay::host
