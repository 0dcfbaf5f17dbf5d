#include "driver/pool.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/text.h"
#include "dra/device_name.h"
#include "dra/slices.h"
#include "rules/plan/plan.h"

namespace patchbay::driver {
namespace {

using DevicesById = std::map<std::string, Json, NaturalLess>;

class SliceMaker {
 public:
  void add(const DevicesById& devices) {
    for (const auto& [id, device] : devices) {
      const auto name = device.at("name").get<std::string>();
      if (!names_.insert(name).second) {
        log::warning("two units have one device name: the second is not published",
                     {{"device", name}});
        continue;
      }
      if (slices_.back().size() == dra::kMaxDevicesPerSlice) slices_.push_back(Json::array());
      slices_.back().push_back(device);
    }
  }
  PoolSlices take() { return std::move(slices_); }

 private:
  PoolSlices slices_{Json::array()};  ///< Without devices, the pool has one empty slice.
  std::set<std::string> names_;
};

}  // namespace

void Pool::set_plan(rules::PlanPtr plan) {
  plan_ = std::move(plan);
  schedule(false);
}

void Pool::set(inventory::SnapshotPtr list) {
  auto& known = lists_[list->resource->name];
  const bool first = !known;
  known = std::move(list);
  schedule(first);
}

void Pool::remove(const std::string& resource, std::function<void()> removed) {
  const bool known = lists_.erase(resource) > 0;
  if (!known && !acknowledged_.contains(resource)) return loop_.post(std::move(removed));
  removed_[resource] = std::move(removed);
  schedule(false);
}

/// The changes of one iteration of the loop cause one publication.
void Pool::schedule(bool first) {
  first_ = first_ || first;
  if (!updating_) updating_ = loop_.after(loop::Milliseconds(0), [this] { update(); });
}

void Pool::update() {
  updating_.reset();
  const bool is_free = std::exchange(first_, false);
  PoolSlices next = slices();
  if (next == last_) {
    // The stored slices are, or will be, those of the new lists, too.
    waiting_ = false;
    if (!sent_.empty()) {
      sent_.rbegin()->second = lists_;
    } else {
      sent_[0] = lists_;
      stored(0);
    }
    return;
  }
  if (!is_free) {
    if (tokens_ == 0) {
      waiting_ = true;
      return;
    }
    --tokens_;
  }
  waiting_ = false;
  last_ = std::move(next);
  sent_[callbacks_.publish(last_)] = lists_;
  if (!refill_) refill_ = loop_.every(kPeriod, [this] { refill(); });
}

void Pool::refill() {
  tokens_ = std::min(tokens_ + 1, kBurst);
  if (waiting_) {
    update();
  } else if (tokens_ == kBurst) {
    refill_.reset();
  }
}

void Pool::stored(int64_t number) {
  const auto sent = sent_.find(number);
  if (sent == sent_.end()) return;
  acknowledged_ = std::move(sent->second);
  sent_.erase(sent_.begin(), std::next(sent));
  std::vector<std::function<void()>> removed;
  std::erase_if(removed_, [&](auto& waiting) {
    if (acknowledged_.contains(waiting.first)) return false;
    removed.push_back(std::move(waiting.second));
    return true;
  });
  for (const auto& call : removed) call();
  callbacks_.acknowledged();
}

inventory::SnapshotPtr Pool::acknowledged(const std::string& resource) const {
  const auto list = acknowledged_.find(resource);
  return list == acknowledged_.end() ? nullptr : list->second;
}

std::optional<ClaimUnit> Pool::find(std::string_view device) const {
  for (const auto& [resource, list] : lists_) {
    for (const inventory::Unit& unit : list->units) {
      if (dra::device_name(resource, unit.id) == device) return ClaimUnit{list, &unit};
    }
  }
  return std::nullopt;
}

PoolSlices Pool::slices() const {
  std::map<std::string, DevicesById> resources;
  for (const RecordedDevice* device : callbacks_.prepared()) {
    resources[device->resource].emplace(device->unit, device->published);
  }
  for (const auto& [resource, list] : lists_) {
    for (const inventory::Unit& unit : list->units) {
      if (unit.healthy) resources[resource][unit.id] = published_device(*list->resource, unit);
    }
  }
  SliceMaker slices;
  for (const rules::ResourcePlanPtr& resource : plan_->resources) {
    if (const auto devices = resources.extract(resource->name)) slices.add(devices.mapped());
  }
  // ResourceClaims can have units of a resource that the configuration does not have now.
  for (const auto& [resource, devices] : resources) slices.add(devices);
  return slices.take();
}

}  // namespace patchbay::driver
