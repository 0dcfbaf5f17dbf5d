#include "daemon/device_watch.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "loop/child_process.h"
#include "rules/compile.h"

namespace patchbay::daemon {
namespace {

/// Delay after a generation becomes active until free memory is released: buffers of its scan, the
/// previous generation, and code that only a start needs. Many edits in this time cause one
/// release.
constexpr loop::Milliseconds kReleaseMemoryDelay{1000};

}  // namespace

Generation::Generation(const MakeHost& make_host, rules::PlanPtr plan,
                       const inventory::Inventory* before, bool wait_for_slow, Callbacks callbacks)
    : inventory_(std::move(plan), before),
      callbacks_(std::move(callbacks)),
      waits_for_slow_(wait_for_slow),
      host_(make_host(rules::host_query(inventory_.plan()), *this)) {}

void Generation::device_seen(DeviceFactsPtr facts, std::optional<loop::Time> event_time) {
  note(inventory_.apply(std::move(facts)), event_time);
}

void Generation::device_gone(const std::string& key, std::optional<loop::Time> event_time) {
  note(inventory_.remove(key), event_time);
}

void Generation::nodes_online(const std::set<int>& nodes) {
  note(inventory_.set_online_nodes(nodes));
}

void Generation::pattern_truncated(const std::string& pattern, const std::string& why) {
  note(inventory_.set_pattern_truncation(pattern, why));
}

void Generation::unresponsive(const std::vector<Unresponsive>& all) {
  note(inventory_.set_unresponsive(all));
  check_ready();
}

void Generation::first_scan_done() {
  scanned_ = true;
  check_ready();
}

void Generation::note(bool changed, std::optional<loop::Time> event_time) {
  if (!changed || !ready_) return;
  if (event_time) inventory_.note_event(*event_time);
  callbacks_.changed();
}

void Generation::check_ready() {
  if (ready_ || !scanned_ || (waits_for_slow_ && inventory_.has_slow_path())) return;
  // An unresponsive device is not gone: it keeps its state of the previous generation.
  for (const std::string& key : inventory_.keep_unresponsive()) host_->assume(key);
  ready_ = true;
  callbacks_.ready();
}

DeviceWatch::DeviceWatch(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
                         OnResolution on_resolution)
    : loop_(loop),
      inotify_(inotify),
      host_(std::move(options.host)),
      counters_(options.counters),
      on_resolution_(std::move(on_resolution)),
      // A blocking probe occupies a thread: with fewer, probes that may run would wait.
      queue_(loop, std::max(options.max_checks, loop::kMaxConcurrent)),
      runner_(health::CheckRunner::create(
          loop, queue_, {.root = host_.root, .environment = loop::child_environment({})})),
      paths_(paths::PathChecker::create(queue_, host_.root)),
      health_(loop, *runner_, *paths_,
              {.max_checks = options.max_checks,
               .once = !host_.watch,
               .inotify = host_.watch ? &inotify : nullptr,
               .root = host_.root,
               .counters = options.counters,
               .out_of_date =
                   [this](const std::string& key) {
                     if (host_.watch) refresh(key);
                   }},
              [this] { resolve(); }),
      assignments_(std::move(options.assignments)),
      claimed_(std::move(options.claimed)) {}

void DeviceWatch::set_plan(const rules::PlanPtr& plan) {
  next_ = std::make_unique<Generation>(
      [this](HostQueryPtr query, host::HostListener& listener) {
        return host::Host::create(loop_, inotify_, host_, std::move(query), listener);
      },
      active_ ? rules::reuse_unchanged(plan, *active_->plan()) : plan,
      active_ ? &active_->inventory() : nullptr,
      // The first plan does not wait for hung paths: its other resources must be registered.
      active_ != nullptr || !host_.watch,
      Generation::Callbacks{
          .ready = [this] { activate_next(); },
          .changed = [this] { resolve_soon(); },
          .device_event = [this](const std::string& key) { health_.device_event(key); }});
  next_since_ = loop_.now();
  next_->start();
}

void DeviceWatch::activate_next() {
  if (active_) {
    next_->inventory().inherit(active_->inventory());
    past_event_counts_ += active_->event_counts();
  }
  active_ = std::move(next_);
  if (counters_ != nullptr) counters_->scans.add(loop_.now() - next_since_);
  resolve();
  release_memory_soon();
}

void DeviceWatch::release_memory_soon() {
  if (!host_.watch) return;
  memory_timer_ = loop_.after(kReleaseMemoryDelay, [this] {
    // Returns unused pages to the kernel, in some milliseconds.
    loop_.work([] { malloc_trim(0); }, [] {});
  });
}

void DeviceWatch::refresh(const std::string& key) {
  if (active_) active_->refresh(key);
}

EventCounts DeviceWatch::event_counts() const {
  EventCounts counts = past_event_counts_;
  for (const auto& generation : {active_.get(), next_.get()}) {
    if (generation != nullptr) counts += generation->event_counts();
  }
  return counts;
}

void DeviceWatch::resolve_soon() {
  if (!resolve_timer_) resolve_timer_ = loop_.after(loop::Milliseconds(0), [this] { resolve(); });
}

void DeviceWatch::assignments_changed() {
  if (!former_units_.empty()) resolve_soon();
}

inventory::Healths DeviceWatch::healths(loop::Time now) {
  inventory::Inventory& inventory = active_->inventory();
  inventory::Healths healths = health_.healths();
  if (!assignments_) return healths;
  const auto known = assignments_();
  former_units_.update(inventory.plan(), inventory.offer(), known.get(), now);
  former_units_.withhold(
      healths, claimed_ ? claimed_(*inventory.plan()) : std::vector<inventory::HeldUnit>());
  inventory.set_held(former_units_.held());
  return healths;
}

void DeviceWatch::resolve() {
  resolve_timer_.reset();
  next_change_timer_.reset();
  inventory::Inventory& inventory = active_->inventory();
  health_.follow(inventory.plan()->resources, inventory.offer());
  const auto now = loop_.now();
  const inventory::Resolution& resolution = inventory.make_snapshots(now, healths(now));
  if (resolution.next_change) {
    const auto delay = std::chrono::ceil<loop::Milliseconds>(*resolution.next_change - now);
    next_change_timer_ = loop_.after(std::max(delay, loop::Milliseconds(0)), [this] { resolve(); });
  }
  // A single evaluation waits for the results of the probes; health_ calls resolve() then.
  if (host_.watch || health_.idle()) on_resolution_(resolution);
}

}  // namespace patchbay::daemon
