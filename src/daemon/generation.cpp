#include "daemon/generation.h"

#include <utility>

#include "rules/compile.h"

namespace patchbay::daemon {

Generation::Generation(const MakeHost& make_host, rules::PlanPtr plan,
                       const inventory::Inventory* before, bool wait_for_slow, Callbacks callbacks)
    : inventory_(std::move(plan), before),
      callbacks_(std::move(callbacks)),
      waits_for_slow_(wait_for_slow),
      host_(make_host(rules::host_query(inventory_.plan()), *this)) {}

Generation::~Generation() = default;

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

}  // namespace patchbay::daemon
