#include "daemon/change_log.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
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

void note_refusal(const std::string& resource, const inventory::Refusal& refusal) {
  using Kind = inventory::Refusal::Kind;
  // A device claimed by an earlier group is configured behaviour, and an incomplete unit may still
  // become complete. Only the other refusals need attention.
  const auto write_log = refusal.kind == Kind::claimed      ? log::debug
                         : refusal.kind == Kind::incomplete ? log::info
                                                            : log::warning;
  const char* what = refusal.kind == Kind::incomplete ? "unit incomplete" : "device refused";
  write_log({what, log::EventKind::refused}, {{"resource", resource},
                                              {"device", refusal.device},
                                              {"unit", refusal.id},
                                              {"reason", refusal.reason}});
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

void ChangeLog::note_snapshot(const inventory::Snapshot* before, const inventory::Snapshot& now) {
  if (before == nullptr) {  // At the start there may be thousands of units.
    log::info({"resource ready", log::EventKind::ready},
              {{"resource", resource_}, {"units", std::to_string(now.units.size())}});
    for (const inventory::Unit& unit : now.units) warn_if_unusable(nullptr, &unit);
    return;
  }
  const bool edited = before->resource != now.resource;
  inventory::for_each_change(before->units, now.units,
                             [&](const inventory::Unit* was, const inventory::Unit* is) {
                               if (!edited && is_lost(was, is)) counters_->units_lost.add();
                               is == nullptr ? note_dropped(*was) : note_unit(was, *is);
                               warn_if_unusable(was, is);
                             });
}

void ChangeLog::note_unit(const inventory::Unit* before, const inventory::Unit& now) {
  if (now.healthy && before == nullptr) {
    log::info({"unit offered", log::EventKind::unit_added},
              {{"resource", resource_}, {"unit", now.id}, {"device", device_of(now)}});
  } else if (now.healthy && !before->healthy) {
    log_unhealthy(now.id);
    log::info({"unit is healthy again", log::EventKind::healthy},
              {{"resource", resource_},
               {"unit", now.id},
               {"device", device_of(now)},
               {"previous_reason", now.last_reason}});
  } else if (!now.healthy && (before == nullptr || before->reason != now.reason)) {
    note_unhealthy(now.id, now.reason);
  }
}

void ChangeLog::note_dropped(const inventory::Unit& unit) {
  log_unhealthy(unit.id);
  log::info({"unit dropped", log::EventKind::unit_removed},
            {{"resource", resource_}, {"unit", unit.id}});
}

void ChangeLog::note_unhealthy(const std::string& unit, const std::string& reason) {
  unhealthy_[unit] = reason;
  if (unhealthy_timer_) return;
  unhealthy_timer_ = loop_.after(kUnhealthyDelay, [this] {
    unhealthy_timer_.reset();
    log_unhealthy();
  });
}

void ChangeLog::log_unhealthy(const std::string& unit) {
  const auto unlogged = unhealthy_.extract(unit);
  if (unlogged.empty()) return;
  log::info({"unit is unhealthy", log::EventKind::unhealthy},
            {{"resource", resource_}, {"unit", unit}, {"reason", unlogged.mapped()}});
}

void ChangeLog::log_unhealthy() {
  while (!unhealthy_.empty()) log_unhealthy(std::string(unhealthy_.begin()->first));
}

void ChangeLog::note_refusals(const inventory::Refusals& refusals) {
  std::set<std::string> refused;
  for (const inventory::Refusal& refusal : refusals) {
    std::string line = refusal.device + '\n' + refusal.reason;
    if (!refused_.contains(line)) note_refusal(resource_, refusal);
    refused.insert(std::move(line));
  }
  refused_ = std::move(refused);
}

void ChangeLog::note(const inventory::ResolvedResource& resource) {
  resource_ = resource.name();
  const auto before = std::exchange(last_, resource.snapshot);
  if (last_ != before) note_snapshot(before.get(), *last_);
  note_degraded(resource.degraded);
  note_shared_nodes(resource.shared_nodes);
  note_refusals(resource.refusals);
}

}  // namespace patchbay::daemon
