#include "health/monitor.h"

#include <algorithm>
#include <random>
#include <utility>

#include "health/repeated_check.h"
#include "inventory/list_changes.h"

namespace patchbay::health {
namespace {

std::function<double()> random_fraction() {
  return [engine = std::minstd_rand(std::random_device()())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

Monitor::Options completed(Monitor::Options options) {
  if (!options.random) options.random = random_fraction();
  return options;
}

paths::PathFollower::Options path_options(const loop::EventLoop& loop,
                                          const Monitor::Options& options,
                                          std::function<void()> on_checked) {
  paths::PathFollower::Options paths{
      .root = options.root, .inotify = options.inotify, .on_checked = std::move(on_checked)};
  if (options.once) return paths;
  paths.next_check = [&loop, random = options.random](loop::Time began) {
    return time_until(next_run(began, loop.now(), Monitor::kPathPeriod, random()), loop.now());
  };
  return paths;
}

/// Names and ids cannot contain a newline.
std::string key_of(const rules::ResourcePlan& resource, const std::string& id) {
  return resource.name + '\n' + id;
}

/// Many units may have no checks, so these cost nothing.
bool can_become_unhealthy(const inventory::MadeUnit& unit) {
  return !unit.checks->probes.empty() || !unit.checks->paths.empty();
}

}  // namespace

Monitor::Monitor(loop::EventLoop& loop, CheckRunner& runner, paths::PathChecker& paths,
                 Options options, std::function<void()> on_change)
    : loop_(loop),
      options_(completed(std::move(options))),
      on_change_(std::move(on_change)),
      queue_(runner, options_.max_checks),
      follower_(loop, paths, path_options(loop, options_, [this] { ended(); })),
      context_{
          .checks = {.loop = loop,
                     .queue = queue_,
                     .random = options_.random,
                     .once = options_.once,
                     .on_ended = [this] { ended(); }},
          .paths = paths_,
          .files = options_.inotify == nullptr ? nullptr : &follower_,
          .counters = options_.counters,
          .changed = [this] { changed(); },
          .path_target_changed = [this](const TrackedUnit& unit) { path_target_changed(unit); }} {}

Monitor::~Monitor() { queue_.close(); }

void Monitor::follow(std::span<const rules::ResourcePlanPtr> resources,
                     std::span<const inventory::MadeUnitsPtr> offered) {
  const bool same = std::ranges::equal(followed_, resources, {}, &Followed::resource);
  std::vector<Followed> following;
  following.reserve(resources.size());
  ++round_;
  for (size_t i = 0; i < resources.size(); ++i) {
    const auto was = same ? followed_.begin() + static_cast<ptrdiff_t>(i)
                          : std::ranges::find(followed_, resources[i]->name, &Followed::name);
    if (was != followed_.end() && was->resource == resources[i] && was->offered == offered[i]) {
      following.push_back({was->resource, was->offered, std::move(was->units)});
    } else {
      const bool known = was != followed_.end() && was->resource == resources[i];
      following.push_back(follow(resources[i], offered[i], known ? &*was : nullptr));
    }
  }
  // Units of the previous lists that are not in this round are gone.
  for (const Followed& was : followed_) {
    for (const Unit* unit : was.units) {
      if (unit != nullptr && unit->second.round != round_) drop(units_.find(unit->first));
    }
  }
  followed_ = std::move(following);
}

inventory::Healths Monitor::healths() const {
  const bool all_checked = !options_.once || idle();
  inventory::Healths healths;
  for (const Followed& followed : followed_) {
    auto& of_resource = healths.emplace_back();
    of_resource.reserve(followed.units.size());
    for (const Unit* unit : followed.units) {
      const bool known = all_checked && unit != nullptr;
      of_resource.push_back(known ? unit->second.unit->health() : inventory::Health{});
    }
  }
  return healths;
}

status::ProbesStatus Monitor::probes(const rules::ResourcePlan& resource,
                                     const inventory::UnitList& units, bool each) const {
  status::ProbesStatus status;
  const loop::Time now = loop_.now();
  for (const inventory::Unit& unit : units) {
    const auto known = units_.find(key_of(resource, unit.id));
    if (known != units_.end()) {
      known->second.unit->describe(status, each, now);
    } else if (each) {
      status.units.emplace_back();  // Cannot become unhealthy, or is lost.
    }
  }
  return status;
}

Monitor::Followed Monitor::follow(const rules::ResourcePlanPtr& resource,
                                  const inventory::MadeUnitsPtr& offered, const Followed* before) {
  Followed followed{resource, offered, {}};
  std::span<const inventory::MadeUnitPtr> unknown(*offered);
  if (before != nullptr && before->units.empty()) {  // None of its units could become unhealthy.
    const auto same =
        inventory::common_prefix_suffix<inventory::MadeUnitPtr>(*before->offered, *offered);
    unknown = unknown.subspan(same.prefix, unknown.size() - same.prefix - same.suffix);
  }
  if (std::ranges::none_of(unknown, [&](const inventory::MadeUnitPtr& unit) {
        return can_become_unhealthy(*unit);
      })) {
    return followed;
  }
  followed.units.reserve(offered->size());
  for (const inventory::MadeUnitPtr& unit : *offered) {
    followed.units.push_back(follow(resource, *unit));
  }
  return followed;
}

const Monitor::Unit* Monitor::follow(const rules::ResourcePlanPtr& resource,
                                     const inventory::MadeUnit& unit) {
  if (!can_become_unhealthy(unit)) return nullptr;
  Unit& known = *units_.try_emplace(key_of(*resource, unit.id)).first;
  Entry& entry = known.second;
  entry.round = round_;
  if (!entry.unit || !entry.unit->has_same_checks(resource, unit)) {
    entry.unit.reset();
    entry.unit = std::make_unique<TrackedUnit>(context_, resource, unit);
  }
  if (entry.members != unit.members) set_members(entry, unit.members);
  return &known;
}

void Monitor::set_members(Entry& entry, std::shared_ptr<const inventory::UnitMembers> members) {
  const auto find = [&](const std::string& device) {
    const auto [first, last] = units_by_device_.equal_range(device);
    const auto own =
        std::find_if(first, last, [&](const auto& user) { return user.second == &entry; });
    return own == last ? units_by_device_.end() : own;
  };
  const auto before = std::exchange(entry.members, std::move(members));
  if (before) {
    for (const inventory::UnitDevice& device : before->devices) {
      if (const auto own = find(device.facts->key); own != units_by_device_.end())
        units_by_device_.erase(own);
    }
  }
  if (!entry.members) return;
  for (const inventory::UnitDevice& device : entry.members->devices) {
    // The device may have several roles in the unit.
    if (find(device.facts->key) == units_by_device_.end())
      units_by_device_.emplace(device.facts->key, &entry);
  }
}

void Monitor::drop(Units::iterator unit) {
  set_members(unit->second, nullptr);
  units_.erase(unit);
}

void Monitor::device_event(const std::string& key) {
  const auto [first, last] = units_by_device_.equal_range(key);
  for (auto user = first; user != last; ++user) user->second->unit->refresh();
}

void Monitor::changed() {
  if (options_.once || soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    on_change_();
  });
}

void Monitor::path_target_changed(const TrackedUnit& unit) const {
  if (!options_.out_of_date) return;
  const auto is_it = [&](const Unit& entry) { return entry.second.unit.get() == &unit; };
  const auto found = std::ranges::find_if(units_, is_it);
  if (found == units_.end()) return;
  for (const auto& device : found->second.members->devices) {
    options_.out_of_date(device.facts->key);
  }
}

/// A check has ended.
void Monitor::ended() {
  if (!options_.once || !idle() || soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    if (idle()) on_change_();
  });
}

}  // namespace patchbay::health
