#include "bench/node.h"

#include <stdexcept>
#include <utility>

#include "bench/world.h"
#include "plugin/plugin_messages.h"
#include "rules/compile.h"
#include "rules/plan/plan.h"

namespace patchbay::bench {

using inventory::SnapshotPtr;

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

size_t list_bytes(const inventory::Snapshot& snapshot) {
  return plugin::encode_list(snapshot).size();
}

Node::Node(rules::PlanPtr plan, std::vector<DeviceFactsPtr> devices)
    : plan_(std::move(plan)),
      query_(rules::host_query(plan_)),
      inventory_(plan_),
      devices_(std::move(devices)),
      sent_(plan_->resources.size()) {
  for (const DeviceFactsPtr& facts : devices_) cheap_.push_back(cheap_of(*facts));
}

void Node::start() {
  for (size_t i = 0; i < devices_.size(); ++i) on_event(i, devices_[i]);
  send_changes();
}

void Node::on_event(size_t device, const DeviceFactsPtr& facts) {
  expect(query_->wanted(cheap_[device]).relevant, "a rule evaluates each device");
  inventory_.apply(facts);
}

void Node::send_changes() {
  now_ += std::chrono::milliseconds(1);
  const auto& resources = inventory_.resolve(now_).resources;
  for (size_t i = 0; i < resources.size(); ++i) {
    const SnapshotPtr before = std::exchange(sent_[i], resources[i].snapshot);
    if (before == sent_[i] || (before && plugin::same_list(*before, *sent_[i]))) continue;
    expect(list_bytes(*sent_[i]) > 0, "a list has units");
  }
}

size_t Node::units() const {
  size_t units = 0;
  for (const SnapshotPtr& snapshot : sent_) units += snapshot->units.size();
  return units;
}

}  // namespace patchbay::bench
