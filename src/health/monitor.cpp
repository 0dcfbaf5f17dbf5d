#include "health/monitor.h"

#include <random>
#include <utility>

namespace patchbay::health {
namespace {

std::function<double()> chance() {
  return [engine = std::minstd_rand(std::random_device()())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

Monitor::Options completed(Monitor::Options options) {
  if (!options.random) options.random = chance();
  return options;
}

PathRounds::Options path_options(const Monitor::Options& options, const FileTriggers* files) {
  PathRounds::Options paths{.random = options.random, .once = options.once};
  if (files == nullptr) return paths;
  paths.inotify = &files->inotify();
  paths.root = files->root();
  return paths;
}

/// Neither may hold a newline.
std::string key_of(const rules::PlanPtr& plan, size_t resource, const inventory::Unit& unit) {
  return plan->resources[resource].name + '\n' + unit.id;
}

}  // namespace

Monitor::Monitor(loop::EventLoop& loop, CheckRunner& runner, PathCheck& paths, FileTriggers* files,
                 Options options, std::function<void()> on_change)
    : loop_(loop),
      options_(completed(std::move(options))),
      on_change_(std::move(on_change)),
      queue_(runner, options_.most_checks),
      paths_(loop, paths, path_options(options_, files), [this] { ended(); }),
      setting_{.checks = {.loop = loop,
                          .queue = queue_,
                          .random = options_.random,
                          .once = options_.once,
                          .on_ended = [this] { ended(); }},
               .paths = paths_,
               .files = files,
               .changed = [this] { changed(); }} {}

Monitor::~Monitor() { queue_.close(); }

void Monitor::rate(const rules::PlanPtr& plan, std::vector<std::vector<inventory::Unit>>& offered,
                   loop::Time now) {
  ++round_;
  for (size_t resource = 0; resource < offered.size(); ++resource) {
    for (inventory::Unit& unit : offered[resource]) {
      inventory::Health health = follow(plan, resource, unit).unit->at(now);
      if (options_.once && !idle()) continue;  // What probes say initially is not asked for.
      unit.healthy = health.healthy;
      unit.reason = std::move(health.reason);
    }
  }
  drop_gone(now);
}

Monitor::Entry& Monitor::follow(const rules::PlanPtr& plan, size_t resource,
                                const inventory::Unit& unit) {
  const std::string key = key_of(plan, resource, unit);
  Entry& entry = units_[key];
  entry.round = round_;
  if (!entry.unit || !entry.unit->is_of(plan, resource, unit)) {
    std::optional<inventory::FlapGuard> guard;
    if (entry.unit) {
      guard = entry.unit->take_guard();
    } else if (auto left = guards_.extract(key)) {
      guard = std::move(left.mapped());
    }
    entry.unit.reset();
    entry.unit = std::make_unique<TrackedUnit>(setting_, plan, resource, unit, std::move(guard));
  }
  if (entry.members != unit.members) set_members(key, entry, unit.members);
  return entry;
}

void Monitor::set_members(const std::string& key, Entry& entry,
                          std::shared_ptr<const inventory::UnitMembers> members) {
  const auto before = std::exchange(entry.members, std::move(members));
  if (before) {
    for (const inventory::UnitDevice& device : before->devices) {
      const auto holders = holders_.find(device.facts->key);
      if (holders == holders_.end()) continue;
      holders->second.erase(key);
      if (holders->second.empty()) holders_.erase(holders);
    }
  }
  if (!entry.members) return;
  for (const inventory::UnitDevice& device : entry.members->devices) {
    holders_[device.facts->key].insert(key);
  }
}

void Monitor::drop_gone(loop::Time now) {
  std::erase_if(guards_, [&](const auto& guard) { return guard.second.forgettable(now); });
  for (auto unit = units_.begin(); unit != units_.end();) {
    auto& [key, entry] = *unit;
    if (entry.round == round_) {
      ++unit;
      continue;
    }
    set_members(key, entry, nullptr);
    if (auto guard = entry.unit->take_guard()) {
      guard->note(false, now);
      guards_.emplace(key, *std::move(guard));
    }
    unit = units_.erase(unit);
  }
}

void Monitor::device_event(const std::string& key) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  for (const std::string& unit : holders->second) units_.at(unit).unit->look();
}

void Monitor::changed() {
  if (options_.once || soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    on_change_();
  });
}

/// Something has been looked at.
void Monitor::ended() {
  if (!options_.once || !idle() || soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    if (idle()) on_change_();
  });
}

}  // namespace patchbay::health
