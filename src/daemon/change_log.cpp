#include "daemon/change_log.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/log.h"
#include "daemon/log_batches.h"
#include "inventory/list_changes.h"
#include "inventory/unit_warnings.h"

namespace patchbay::daemon {
namespace {

std::string device_of(const inventory::Unit& unit) {
  return unit.members->devices.front().facts->key;
}

/// Whether a unit was offered and now is only listed until `linger` ends, or not at all.
bool is_lost(const inventory::Unit* before, const inventory::Unit* now) {
  return before != nullptr && before->checks && (now == nullptr || !now->checks);
}

}  // namespace

void ChangeLog::note_degraded(const std::vector<inventory::Degraded>& degraded) {
  for (const inventory::Degraded& rule : degraded) {
    if (std::ranges::find(degraded_, rule) != degraded_.end()) continue;
    log::warning({"rule is degraded", log::EventKind::degraded},
                 {{"resource", resource_}, {"pattern", rule.pattern}, {"reason", rule.reason}});
  }
  degraded_ = degraded;
}

void ChangeLog::note_shared_nodes(const std::vector<inventory::SharedNode>& nodes) {
  for (const inventory::SharedNode& node : nodes) {
    if (std::ranges::find(shared_nodes_, node) != shared_nodes_.end()) continue;
    log::warning({"several units contain the same device node", log::EventKind::degraded},
                 {{"resource", resource_},
                  {"unit", node.units.front()},
                  {"reason", inventory::shared_node_text(node)}});
  }
  shared_nodes_ = nodes;
}

void ChangeLog::warn_if_unusable(const inventory::Unit* before, const inventory::Unit* now) {
  const auto count_of = [&](const inventory::Unit& unit) -> size_t& {
    return empty_allocations_.at(static_cast<size_t>(unit.empty_allocation));
  };
  const bool same =
      before != nullptr && now != nullptr && before->empty_allocation == now->empty_allocation;
  if (same) return;
  if (before != nullptr) --count_of(*before);
  if (now == nullptr || ++count_of(*now) > 1) return;
  if (now->empty_allocation == inventory::EmptyAllocation::no) return;
  // One line for each cause: thousands of units may have it.
  log::warning({"unit gives a container nothing", log::EventKind::degraded},
               {{"resource", resource_},
                {"unit", now->id},
                {"device", device_of(*now)},
                {"cause", std::string(inventory::cause_of(now->empty_allocation))},
                {"hint", std::string(inventory::advice_on(now->empty_allocation))}});
}

void ChangeLog::note_loss(const inventory::Unit* before, const inventory::Unit* now) {
  if (now == nullptr && !before->checks) return;  // It was lost earlier, and `linger` ended.
  if (is_lost(before, now)) counters_->units_lost.add();
  const std::string& id = (now != nullptr ? now : before)->id;
  const bool known = std::erase_if(lost_, [&](const auto& unit) { return unit.id == id; }) > 0;
  if (!known && !is_lost(before, now)) return;
  if (now != nullptr && now->checks) return;
  if (lost_.size() == kMaxLost) lost_.erase(lost_.begin());
  if (now != nullptr) {
    lost_.push_back({.id = id, .reason = now->reason, .since = now->since});
  } else {
    lost_.push_back({.id = id, .reason = {}, .since = loop_.now()});
  }
}

void ChangeLog::note_start(const inventory::Snapshot& list) {
  log::info({"resource ready", log::EventKind::ready},
            {{"resource", resource_}, {"units", std::to_string(list.units.size())}});
  for (const inventory::Unit& unit : list.units) warn_if_unusable(nullptr, &unit);
}

void ChangeLog::note_changes(const inventory::Snapshot& before, const inventory::Snapshot& now,
                             bool edited) {
  using inventory::Unit;
  if (before.resource != now.resource) {
    edited = true;
    lost_.clear();
  }
  LogBatches offered;
  LogBatches recovered;
  LogBatches dropped;
  std::vector<const Unit*> unhealthy;
  bool some_delayed = false;  // A reason must be logged before its unit recovers or leaves.
  inventory::for_each_change(before.units, now.units, [&](const Unit* was, const Unit* is) {
    if (!edited || !is_lost(was, is)) note_loss(was, is);
    warn_if_unusable(was, is);
    if (is == nullptr) {
      dropped.add({}, was->id, {});
      some_delayed = some_delayed || unhealthy_.contains(was->id);
    } else if (is->healthy && was == nullptr) {
      offered.add({}, is->id, {{"device", device_of(*is)}});
    } else if (is->healthy && !was->healthy) {
      recovered.add(cause_of(*was), is->id,
                    {{"device", device_of(*is)}, {"previous_reason", is->last_reason}});
      some_delayed = some_delayed || unhealthy_.contains(is->id);
    } else if (!is->healthy && (was == nullptr || was->reason != is->reason)) {
      unhealthy.push_back(is);
    }
  });
  if (some_delayed) log_unhealthy();
  dropped.write(log::Level::info, {"unit dropped", log::EventKind::unit_removed}, resource_);
  recovered.write(log::Level::info, {"unit is healthy again", log::EventKind::healthy}, resource_);
  offered.write(log::Level::info, {"unit offered", log::EventKind::unit_added}, resource_);
  for (const Unit* unit : unhealthy) note_unhealthy(*unit);
}

void ChangeLog::note_unhealthy(const inventory::Unit& unit) {
  unhealthy_.insert_or_assign(unit.id, unit);
  if (unhealthy_timer_) return;
  unhealthy_timer_ = loop_.after(kUnhealthyDelay, [this] {
    unhealthy_timer_.reset();
    log_unhealthy();
  });
}

void ChangeLog::log_unhealthy() {
  LogBatches batches;
  for (const auto& [id, unit] : unhealthy_) {
    batches.add(cause_of(unit), id, {{"reason", unit.reason}});
  }
  unhealthy_.clear();
  batches.write(log::Level::info, {"unit is unhealthy", log::EventKind::unhealthy}, resource_);
}

void ChangeLog::note_refusals(const inventory::Refusals& refusals) {
  using Kind = inventory::Refusal::Kind;
  const LogBatches::FieldNames names{.names = "device", .number = "devices"};
  LogBatches refused(names);
  LogBatches incomplete(names);
  LogBatches claimed(names);
  std::set<std::string> lines;
  for (const inventory::Refusal& refusal : refusals) {
    std::string line = refusal.device + '\n' + refusal.reason;
    if (!refused_.contains(line)) {
      LogBatches& batches = refusal.kind == Kind::refused      ? refused
                            : refusal.kind == Kind::incomplete ? incomplete
                                                               : claimed;
      batches.add(cause_of(refusal.reason), refusal.device,
                  {{"unit", refusal.id}, {"reason", refusal.reason}});
    }
    lines.insert(std::move(line));
  }
  // A device claimed by an earlier group is configured behaviour, and an incomplete unit may still
  // become complete. Only the other refusals need attention.
  refused.write(log::Level::warning, {"device refused", log::EventKind::refused}, resource_);
  incomplete.write(log::Level::info, {"unit incomplete", log::EventKind::refused}, resource_);
  claimed.write(log::Level::debug, {"device refused", log::EventKind::refused}, resource_);
  refused_ = std::move(lines);
}

void ChangeLog::note_list(inventory::SnapshotPtr list, bool edited) {
  resource_ = list->resource->name;
  const auto before = std::exchange(last_, std::move(list));
  before ? note_changes(*before, *last_, edited) : note_start(*last_);
}

void ChangeLog::note_problems(const inventory::ResolvedResource& resource) {
  resource_ = resource.name();
  note_degraded(resource.degraded);
  note_shared_nodes(resource.shared_nodes);
  note_refusals(resource.refusals);
}

void HangLog::note(const inventory::Resolution& resolution) {
  std::map<std::string, std::set<std::string>> unresponsive;
  for (const inventory::ResolvedResource& resource : resolution.resources) {
    for (const inventory::UnresponsivePath& path : resource.unresponsive) {
      // Paths that could not be read for lack of resources are logged elsewhere.
      if (!path.slow && !path.refused) unresponsive[path.what].insert(resource.name());
    }
  }
  for (const auto& [what, resources] : unresponsive) {
    if (unresponsive_.contains(what)) continue;
    log::warning(
        {"path is unresponsive: the state of its devices is unknown", log::EventKind::degraded},
        {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  for (const auto& [what, resources] : unresponsive_) {
    if (unresponsive.contains(what)) continue;
    log::info({"path is responsive again", log::EventKind::degraded},
              {{"path", what}, {"resources", fmt::format("{}", fmt::join(resources, " "))}});
  }
  unresponsive_ = std::move(unresponsive);
}

}  // namespace patchbay::daemon
