#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "driver/pool_fixture.h"
#include "fake/manual_loop.h"

namespace patchbay::driver {
namespace {

/// Runs a pool with random changes. Only some publications are stored, and answers are lost or
/// late. slice_property_test.cpp has the writes of one publication.
class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) { pool_.set_plan(plan_); }

  /// One random event. Returns a text that names the defect, or "".
  std::string step() {
    switch (below(8)) {
      case 0:
      case 1:
        change_list();
        break;
      case 2:
        change_prepared();
        break;
      case 3:
        remove_resource();
        break;
      case 4:
        loop_.advance(loop::Milliseconds(below(2 * Pool::kPeriod.count())));
        break;
      case 5:
        store_newest();
        break;
      case 6:
        answer();
        break;
      default:
        // The API client starts again: it gets the newest pool, and earlier answers are lost.
        answers_.clear();
        store_newest();
    }
    loop_.advance(loop::Milliseconds(0));
    return defect();
  }

  /// Without further changes the server gets the wanted pool. Returns the defect, or "".
  std::string settle() {
    loop_.advance(Pool::kPeriod);
    const auto& [number, newest] = *sent_.rbegin();
    pool_.stored(number);
    if (newest != wanted()) return "not the wanted pool";
    for (const auto& [resource, list] : lists_) {
      if (pool_.acknowledged(resource) != list) return "not acknowledged: " + resource;
    }
    return waiting_.empty() ? "" : "a removed resource waits";
  }

 private:
  using Names = std::set<std::string>;

  size_t below(size_t limit) { return random_() % limit; }

  [[nodiscard]] const rules::ResourcePlanPtr& any_resource() {
    return plan_->resources[below(plan_->resources.size())];
  }

  void change_list() {
    const auto resource = any_resource();
    if (waiting_.contains(resource->name)) return;  // The daemon waits, too.
    std::vector<std::string> ids;
    for (int i = 0; i < 12; ++i) {
      const size_t state = below(4);
      if (state < 3) ids.push_back((state == 0 ? "!" : "") + std::to_string(i));
    }
    lists_[resource->name] = list_of(resource, ids);
    pool_.set(lists_[resource->name]);
  }

  void remove_resource() {
    const std::string name = any_resource()->name;
    if (lists_.erase(name) == 0) return;
    waiting_.insert(name);
    pool_.remove(name, [this, name] { waiting_.erase(name); });
  }

  void change_prepared() {
    if (!prepared_.empty() && below(2) == 0) {
      prepared_.erase(prepared_.begin() + static_cast<std::ptrdiff_t>(below(prepared_.size())));
    } else {
      prepared_.push_back(recorded(any_resource(), std::to_string(below(12))));
    }
    pool_.claims_changed();
  }

  /// The server stores the newest pool. The answer is lost, or comes later, or twice.
  void store_newest() {
    if (sent_.empty()) return;
    answers_.insert(answers_.end(), below(3), sent_.rbegin()->first);
  }

  void answer() {
    if (answers_.empty()) return;
    const auto any = answers_.begin() + static_cast<std::ptrdiff_t>(below(answers_.size()));
    acknowledged_ = std::max(acknowledged_, *any);
    pool_.stored(*any);
    answers_.erase(any);
  }

  int64_t publish(const PoolSlices& slices) {
    Names names;
    for (const Json& slice : slices) {
      if (slice.size() > 64) defect_ = "a slice is too large";
      for (const Json& device : slice) {
        const auto name = device["name"].get<std::string>();
        if (!names.insert(name).second) defect_ = "in two slices: " + name;
      }
    }
    const int64_t number = sent_.empty() ? 1 : sent_.rbegin()->first + 1;
    sent_[number] = std::move(names);
    return number;
  }

  /// Names of the healthy units of a list.
  static Names names_of(const inventory::Snapshot& list) {
    Names names;
    for (const inventory::Unit& unit : list.units) {
      if (unit.healthy) names.insert(published_device(*list.resource, unit)["name"]);
    }
    return names;
  }

  [[nodiscard]] Names wanted() const {
    Names names;
    for (const auto& [resource, list] : lists_) names.merge(names_of(*list));
    for (const RecordedDevice& device : prepared_) names.insert(device.published["name"]);
    return names;
  }

  /// Acknowledged units must be in the newest pool that was answered.
  [[nodiscard]] std::string defect() const {
    if (!defect_.empty()) return defect_;
    for (const auto& resource : plan_->resources) {
      const auto list = pool_.acknowledged(resource->name);
      if (!list) continue;
      if (acknowledged_ == 0) return "acknowledged without an answer";
      for (const std::string& name : names_of(*list)) {
        if (!sent_.at(acknowledged_).contains(name)) return "acknowledged, but not stored: " + name;
      }
    }
    return "";
  }

  std::mt19937 random_;
  fake::ManualLoop loop_;
  rules::PlanPtr plan_ = inventory::plan_of(
      "  - name: c.io/c\n    match: {static: [c]}\n  - name: a.io/a\n    match: {static: [a]}\n"
      "  - name: b.io/b\n    match: {static: [b]}\n");
  std::map<std::string, inventory::SnapshotPtr> lists_;
  std::vector<RecordedDevice> prepared_;
  std::set<std::string> waiting_;  ///< Resources that are being removed.
  std::map<int64_t, Names> sent_;  ///< The devices of each publication, by its number.
  std::vector<int64_t> answers_;   ///< Numbers of stored pools that are not answered yet.
  int64_t acknowledged_ = 0;       ///< The highest number of an answer.
  std::string defect_;
  Pool pool_{loop_,
             {.publish = [this](const PoolSlices& slices) { return publish(slices); },
              .acknowledged = [] {},
              .prepared =
                  [this] {
                    std::vector<const RecordedDevice*> devices;
                    for (const RecordedDevice& device : prepared_) devices.push_back(&device);
                    return devices;
                  }}};
};

TEST(PoolProperty, AnyOrderOfChangesAndAnswersEndsInTheWantedPool) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Simulation simulation(seed);
    std::string defect;
    for (int i = 0; i < 40 && defect.empty(); ++i) defect = simulation.step();
    if (defect.empty()) defect = simulation.settle();
    ASSERT_TRUE(defect.empty()) << "seed " << seed << ": " << defect;
  }
}

}  // namespace
}  // namespace patchbay::driver
