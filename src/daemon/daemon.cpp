#include "daemon/daemon.h"

#include <algorithm>
#include <utility>

#include "base/current_path.h"
#include "base/log.h"
#include "daemon/dra_sink.h"
#include "daemon/plugin_sink.h"
#include "daemon/update_order.h"
#include "inventory/unit_checks.h"
#include "loop/child_process.h"
#include "loop/executor.h"

namespace patchbay::daemon {
namespace {

/// Less than the time after which the watchdog ends the process.
constexpr loop::Milliseconds kRemoveTimeout{700};
/// Time between queries while a Pod has a former unit.
constexpr loop::Milliseconds kHeldPeriod{10'000};

std::vector<inventory::SnapshotPtr> lists_of(const inventory::Resolution& resolution) {
  std::vector<inventory::SnapshotPtr> lists;
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    lists.push_back(resource.snapshot);
  }
  return lists;
}

}  // namespace

Daemon::Daemon(loop::EventLoop& loop, loop::Inotify& inotify, Options options,
               status::Counters& counters)
    : loop_(loop),
      counters_(counters),
      cdi_directory_(std::move(options.cdi_directory)),
      files_(std::make_shared<specs::UnitFileStore>(specs::UnitFileLocations{
          .cdi_directory = cdi_directory_,
          .device_info_directory = std::move(options.device_info_directory),
          .root = options.host.root})),
      file_queue_(loop),
      queue_(loop),
      step_runner_(steps::StepRunner::create(
          loop, inotify, queue_,
          {.root = options.host.root, .environment = loop::child_environment({})})),
      pre_start_runner_(loop, *step_runner_),
      answer_paths_(loop, options.host.root),
      pods_(watch_pods(options)),
      allocations_(loop,
                   [this](const auto& note) {
                     pods_->allocated(note.resource, note.devices, note.at);
                     devices_.assignments_changed();
                   }),
      plugins_(loop, inotify, std::move(options.kubelet_directory), answer_context(), counters),
      dra_({.loop = loop,
            .inotify = inotify,
            .work = queue_,
            .steps = *step_runner_,
            .plugins = plugins_,
            .pods = pods_.get(),
            .counters = counters},
           {.node = std::move(options.node),
            .kubelet_root = std::move(options.kubelet_root),
            .cdi_directory = cdi_directory_,
            .root = options.host.root,
            .kube_command = std::move(options.kube_command),
            .check_period = options.dra_check_period},
           {.acknowledged = [this] { on_acknowledged(); },
            .claims_changed = [this] { devices_.claims_changed(); }}),
      offering_(std::move(options.offering)),
      devices_(loop, inotify,
               {.host = std::move(options.host),
                .max_checks = options.max_checks,
                .counters = &counters,
                .assignments = [this] { return pods_ ? pods_->assignments() : nullptr; },
                .claimed = [this](const rules::Plan& plan) { return dra_.held_units(plan); }},
               [this](const auto& resolution) { on_resolution(resolution); }) {
  dra_.load([this] {
    claims_loaded_ = true;
    if (first_plan_) set_plan(std::exchange(first_plan_, nullptr));
  });
}

std::unique_ptr<pods::PodWatch> Daemon::watch_pods(const Options& options) {
  const std::string& socket = options.pod_resources;
  if (socket.empty()) return nullptr;
  return std::make_unique<pods::PodWatch>(
      loop_, queue_, socket, pods::PodResources::at(socket, options.own_pod), [this] {
        pods::ResourceNames names = devices_.former_units().resources();
        for (const auto& [key, offer] : offers_) names.insert(key.first);
        return names;
      });
}

plugin::AnswerContext Daemon::answer_context() {
  return {
      .paths = answer_paths_,
      .devices_changed =
          [&loop = loop_,
           refresh = weak_self_.guard(&Daemon::refresh)](std::vector<std::string> devices) {
            loop.post([refresh, devices = std::move(devices)]() mutable { refresh(devices); });
          },
      .prepare_start =
          [this](const inventory::SnapshotPtr& snapshot, const std::vector<std::string>& ids,
                 plugin::AnswerContext::PreparedCallback prepared) {
            auto steps = inventory::steps_of(*snapshot, ids);
            if (!steps) return prepared(std::unexpected(steps.error()));
            pre_start_runner_.run(*std::move(steps), std::move(prepared));
          },
      .allocated = note_allocated(),
  };
}

std::function<void(const std::string&, std::vector<std::string>)> Daemon::note_allocated() {
  if (!pods_) return {};
  return [this](const std::string& resource, std::vector<std::string> ids) {
    allocations_.add(
        {.resource = resource, .devices = std::move(ids), .at = std::chrono::steady_clock::now()});
  };
}

Daemon::~Daemon() { end(); }

void Daemon::end() {
  if (std::exchange(ended_, true)) return;
  // Before the line below, which must be the last one.
  withdrawing_.clear();
  offers_.clear();
  dra_.end();
  remove_device_infos();
  const EventCounts counts = devices_.event_counts();
  log::info("stopping", {{"kernel_events", std::to_string(counts.kernel)},
                         {"udev_events", std::to_string(counts.udev)},
                         {"database_events", std::to_string(counts.database)},
                         {"overflows", std::to_string(counts.overflows)},
                         {"rescans", std::to_string(counts.rescans)},
                         {"reads", std::to_string(counts.reads)}});
  plugins_.end();
}

void Daemon::set_plan(const rules::PlanPtr& plan) {
  if (!claims_loaded_) {
    first_plan_ = plan;
    return;
  }
  if (!pods_ || !devices_.has_plan()) return devices_.set_plan(plan);
  pods_->refresh(
      [this, plan](const Result<void>& newer) {
        if (!newer && !pods_->assignments()) {
          log::info("unit holders are unknown: a device with a new name may be in use",
                    {{"reason", newer.error().message}});
        }
        devices_.set_plan(plan);
      },
      true);
}

void Daemon::describe(status::NodeStatus& status, const status::StatusRequest& request) const {
  status.kubelet = plugins_.kubelet_status();
  if (pods_) status.assignments = pods_->status();
  status.events = devices_.event_counts();
  if (!devices_.has_plan()) return;
  status.event_sources = devices_.event_sources();
  status.plan = devices_.inventory().plan();
  status.dra = dra_.drivers();
  for (const inventory::ResolvedResource& resource : devices_.inventory().last().resources) {
    status::ResourceStatus& its = status.resources.emplace_back();
    its.resolved = resource;
    its.probes = devices_.probes(
        *resource.snapshot,
        request.probes && (request.resource.empty() || request.resource == resource.name()));
    const Offer* offer = find_offer(withdrawing_, resource.name());
    if (offer == nullptr) offer = find_offer(offers_, resource.name());
    if (offer == nullptr) {
      const bool dra = key_of(resource).second == SinkKind::dra;
      its.registration = {.kind = dra ? status::RegistrationStatus::Kind::dra
                                      : status::RegistrationStatus::Kind::device_plugin,
                          .since = status.program.since};  // Pending since the start.
    } else {
      its.registration = offer->status();
      its.lost = offer->lost();
    }
  }
}

void Daemon::refresh_pod_resources(loop::Task done) {
  if (!pods_) return done();
  pods_->refresh([done = std::move(done)](const auto& /*newer*/) mutable { done(); });
}

void Daemon::refresh(const std::vector<std::string>& devices) {
  for (const std::string& device : devices) devices_.refresh(device);
}

void Daemon::on_resolution(const inventory::Resolution& resolution) {
  if (!std::exchange(files_expected_, true)) files_->expect(lists_of(resolution));
  dra_.set_plan(devices_.inventory().plan());
  Offers before = std::exchange(offers_, {});
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    // It is offered again when its last consumer has no list of it any more.
    const OfferKey key = key_of(resource);
    if (find_offer(withdrawing_, key.first) != nullptr) continue;
    auto known = before.extract(key);
    // Its first list would be incomplete, or its other sink will be withdrawn.
    if (!known && (resource.has_slow_path() || find_offer(before, key.first) != nullptr)) continue;
    offers_[key] = known ? std::move(known.mapped()) : make_offer(key);
  }
  while (!before.empty()) withdraw(before.extract(before.begin()));
  // Set before publish(): that can call remove_old_files(), which reads it.
  has_pending_resources_ =
      std::ranges::any_of(resolution.resources, &inventory::ResolvedResource::has_slow_path);
  hang_log_.note(resolution);
  publish(resolution);
  remove_old_files();
  follow_held_units();
  if (auto offering = std::exchange(offering_, nullptr)) offering();
}

void Daemon::follow_held_units() {
  if (held_timer_ || devices_.former_units().held().empty()) return;
  held_timer_ = loop_.after(kHeldPeriod, [this] {
    held_timer_.reset();
    pods_->refresh([this](const auto& /*newer*/) { devices_.assignments_changed(); }, true);
  });
}

void Daemon::publish(const inventory::Resolution& resolution) {
  const rules::PlanPtr plan = devices_.inventory().plan();
  const bool edited = std::exchange(published_, plan) != plan;
  std::vector<std::pair<Offer*, const inventory::ResolvedResource*>> offered;
  std::vector<ListUpdate> updates;
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    const auto offer = offers_.find(key_of(resource));
    if (offer == offers_.end()) continue;
    offered.emplace_back(offer->second.get(), &resource);
    updates.push_back({.acknowledged = offer->second->acknowledged(), .now = resource.snapshot});
  }
  for (const auto& [key, offer] : withdrawing_) {
    updates.push_back({.acknowledged = offer->acknowledged(), .now = nullptr});
  }
  const std::vector<NextList> next = next_lists(updates);
  withholds_units_ = !std::ranges::equal(updates, next, {}, &ListUpdate::now, &NextList::list);
  for (const bool first : {true, false}) {
    for (size_t i = 0; i < offered.size(); ++i) {
      const auto& [offer, resource] = offered[i];
      if (next[i].at_once == first) offer->update(*resource, next[i].list, first, edited);
    }
  }
}

/// Publishes later: this may be called within publish().
void Daemon::on_acknowledged() {
  if (!withholds_units_ || publishing_) return;
  publishing_ = loop_.after(loop::Milliseconds(0), [this] {
    publishing_.reset();
    publish(devices_.inventory().last());
  });
}

Daemon::OfferKey Daemon::key_of(const inventory::ResolvedResource& resource) {
  const bool dra = resource.snapshot->resource->serve == config::Serve::dra;
  return {resource.name(), dra ? SinkKind::dra : SinkKind::plugin};
}

const Offer* Daemon::find_offer(const Offers& offers, const std::string& resource) {
  const auto found = offers.lower_bound({resource, SinkKind{}});
  return found != offers.end() && found->first.first == resource ? found->second.get() : nullptr;
}

std::unique_ptr<Offer> Daemon::make_offer(const OfferKey& key) {
  std::unique_ptr<Sink> sink;
  if (key.second == SinkKind::dra) {
    sink = std::make_unique<DraSink>(loop_, dra_, pods_.get());
  } else {
    sink = std::make_unique<PluginSink>(
        loop_, file_queue_, plugins_, files_,
        PluginSink::Callbacks{.elected = [this] { note_elected(); },
                              .served = [this] { remove_old_files(); },
                              .acknowledged = [this] { on_acknowledged(); }});
  }
  return std::make_unique<Offer>(loop_, std::move(sink), counters_.of(key.first));
}

/// One check after the first election is enough: is_only_instance() covers all resources.
void Daemon::note_elected() {
  if (pods_) {  // Another process may have served the resource until now.
    pods_->refresh([this](const auto& /*newer*/) { devices_.assignments_changed(); }, true);
    pods_->refresh_soon();
  }
  if (std::exchange(elected_, true)) return;
  if (plugins_.is_only_instance()) files_->set_sole_writer();
}

void Daemon::withdraw(Offers::node_type offer) {
  const OfferKey key = offer.key();
  Offer& withdrawing = *withdrawing_.insert(std::move(offer)).position->second;
  withdrawing.withdraw([this, key] {
    withdrawing_.erase(key);
    allocations_.deliver_now();  // For the gate of DRA.
    on_resolution(devices_.inventory().last());
  });
}

/// Runs once, when all resources are served. A resource that writes files has removed the stale
/// ones before: see UnitFileStore::write(). Otherwise this does it, and nothing waits for the
/// result.
void Daemon::remove_old_files() {
  const auto is_served = [](const auto& offer) { return offer.second->served(); };
  if (old_files_removed_ || has_pending_resources_ || !std::ranges::all_of(offers_, is_served))
    return;
  old_files_removed_ = true;
  // Nothing shows which instance owns a unit file.
  if (!plugins_.is_only_instance()) return;
  const auto removed = std::make_shared<Result<size_t>>();
  const auto current_path = std::make_shared<CurrentPath>();
  removing_old_files_ = file_queue_.run(
      "files of earlier runs", 2 * loop::kHungAfter,
      [files = files_, removed, current_path] { *removed = files->remove_old(*current_path); },
      [removed, current_path](loop::WorkOutcome outcome) {
        using Outcome = loop::WorkOutcome;
        if (outcome != Outcome::done || !*removed) {
          log::warning(
              "cannot remove stale unit files",
              {{"reason", outcome == Outcome::no_thread ? kNoThreadText
                          : outcome == Outcome::done    ? removed->error().message
                                                        : unresponsive_text(current_path->get())}});
        } else if (**removed > 0) {
          log::info("removed stale unit files", {{"count", std::to_string(**removed)}});
        }
      });
}

/// The loop has ended, and the end of the process must not be delayed.
void Daemon::remove_device_infos() {
  if (!files_->may_have_device_infos()) return;
  if (!loop_.executor().run([files = files_] { files->remove_device_infos(); }, kRemoveTimeout)) {
    log::warning("unit files were not removed in time");
  }
}

}  // namespace patchbay::daemon
