#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kube/slice_controller.h"
#include "kube/slice_store.h"

namespace patchbay::kube {
namespace {

/// Runs the controller against a store. Answers are lost, other programs change and delete slices,
/// and events arrive late.
class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) { want(); }

  /// One random event. Returns a text that names the defect, or "".
  std::string step() {
    switch (below(7)) {
      case 0:
        want();
        break;
      case 1:
        remove_one();
        break;
      case 2:
        touch_one();
        break;
      case 3:
        deliver(below(4));
        break;
      case 4:
        needs_list_ = true;
        break;
      default:
        write(below(3) == 0);
    }
    return defect();
  }

  /// Without further disturbance the pool becomes the wanted one. Returns the defect, or "".
  std::string settle() {
    for (int i = 0; i < 100; ++i) {
      deliver(store_.events().size());
      if (!needs_list_ && !controller_.next()) return end_state();
      write(false);
      if (const std::string found = defect(); !found.empty()) return found;
    }
    return "does not end";
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  /// Distributes some of ten devices to one to four slices.
  void want() {
    wanted_.assign(1 + below(4), Json::array());
    for (char name = 'a'; name <= 'j'; ++name) {
      const size_t index = below(wanted_.size() + 1);
      if (index < wanted_.size()) wanted_[index].push_back({{"name", std::string(1, name)}});
    }
    std::vector<std::string> texts;
    for (const Json& slice : wanted_) texts.push_back(slice.dump());
    controller_.set_wanted(std::move(texts));
  }

  std::string any_name() {
    auto found = store_.objects().begin();
    std::advance(found, static_cast<std::ptrdiff_t>(below(store_.objects().size())));
    return found->first;
  }

  void remove_one() {
    if (!store_.objects().empty()) store_.remove(any_name());
  }

  void touch_one() {
    if (!store_.objects().empty()) store_.touch(any_name());
  }

  /// The watch delivers the next events.
  void deliver(size_t count) {
    for (; count > 0 && delivered_ < store_.events().size(); --count, ++delivered_) {
      controller_.apply(store_.events()[delivered_].json);
    }
  }

  void write(bool lose_answer) {
    if (std::exchange(needs_list_, false)) controller_.set_stored(store_.list());
    const auto operation = controller_.next();
    if (!operation) return;
    SliceStore::Reply reply;
    if (operation->kind == Operation::Kind::create) {
      reply = store_.create(create_body(kPool, "u", operation->content));
    } else if (operation->kind == Operation::Kind::update) {
      reply = store_.replace(operation->stored.name,
                             update_body(operation->stored, operation->content));
    } else {
      reply = store_.remove(operation->stored.name, delete_body(operation->stored));
    }
    if (lose_answer || reply.status >= 400 || operation->kind == Operation::Kind::remove) {
      needs_list_ = true;
    } else {
      controller_.written(*operation, *parse_slice(reply.body));
    }
  }

  /// A device that is in two slices of the newest generation.
  [[nodiscard]] std::string defect() const {
    int64_t newest = 0;
    for (const auto& [name, object] : store_.objects()) {
      newest = std::max(newest, object["spec"]["pool"]["generation"].get<int64_t>());
    }
    std::set<std::string> seen;
    for (const auto& [name, object] : store_.objects()) {
      if (object["spec"]["pool"]["generation"] != newest) continue;
      for (const Json& device : object["spec"]["devices"]) {
        if (!seen.insert(device["name"]).second) return "twice: " + store_.list().dump(1);
      }
    }
    return "";
  }

  [[nodiscard]] std::string end_state() const {
    std::vector<Json> stored;
    std::set<Json> pools;
    for (const auto& [name, object] : store_.objects()) {
      stored.push_back(object["spec"]["devices"]);
      pools.insert(object["spec"]["pool"]);
    }
    if (stored != wanted_ || pools.size() != 1 ||
        pools.begin()->at("resourceSliceCount") != wanted_.size()) {
      return "not the wanted pool: " + store_.list().dump(1);
    }
    return "";
  }

  std::mt19937 random_;
  SliceStore store_;
  SliceController controller_{"node-1"};
  std::vector<Json> wanted_;
  size_t delivered_ = 0;
  bool needs_list_ = true;
};

TEST(SliceProperty, AnyOrderOfEventsEndsInTheWantedPool) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Simulation simulation(seed);
    std::string defect;
    for (int i = 0; i < 40 && defect.empty(); ++i) defect = simulation.step();
    if (defect.empty()) defect = simulation.settle();
    ASSERT_TRUE(defect.empty()) << "seed " << seed << ": " << defect;
  }
}

}  // namespace
}  // namespace patchbay::kube
