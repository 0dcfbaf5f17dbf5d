#include "kube/slice_controller.h"

#include <initializer_list>

#include <gtest/gtest.h>

#include "kube/slice_store.h"

namespace patchbay::kube {
namespace {

/// An array with a device for each character of `names`.
std::string devices(const std::string& names) {
  Json all = Json::array();
  for (const char name : names) all.push_back({{"name", std::string(1, name)}});
  return all.dump();
}

class SliceControllerTest : public testing::Test {
 protected:
  void want(std::initializer_list<const char*> slices) {
    std::vector<std::string> wanted;
    for (const char* names : slices) wanted.push_back(devices(names));
    controller.set_wanted(std::move(wanted));
  }

  /// Executes the next write. Returns it as text such as "update 1 g3", with the index and the
  /// generation; "" if there is none.
  std::string step() {
    controller.set_stored(store.list());
    const auto next = controller.next();
    if (!next) return "";
    const Content& content = next->content;
    const std::string text =
        std::to_string(content.index) + " g" + std::to_string(content.generation);
    switch (next->kind) {
      case Operation::Kind::create:
        controller.written(*next,
                           *parse_slice(store.create(create_body(kPool, "u", content)).body));
        return "create " + text;
      case Operation::Kind::update: {
        const std::string body = update_body(next->stored, content);
        controller.written(*next, *parse_slice(store.replace(next->stored.name, body).body));
        return "update " + text;
      }
      case Operation::Kind::remove:
        store.remove(next->stored.name, delete_body(next->stored));
        return "delete " + next->stored.name.substr(0, 5);
    }
    return "?";
  }

  std::vector<std::string> steps() {
    std::vector<std::string> all;
    for (std::string text = step(); !text.empty(); text = step()) all.push_back(text);
    return all;
  }

  [[nodiscard]] std::string name_of(size_t index) const {
    for (const auto& [name, object] : store.objects()) {
      if (index_of(name) == index) return name;
    }
    return "";
  }

  using Texts = std::vector<std::string>;

  SliceController controller{"node-1"};
  SliceStore store;
};

TEST_F(SliceControllerTest, WritesNothingBeforeAPoolIsWanted) {
  store.create(create_body(kPool, "u", {.generation = 1, .count = 1, .devices = devices("a")}));
  EXPECT_EQ(steps(), Texts());
}

TEST_F(SliceControllerTest, CreatesEachSlice) {
  want({"ab", "c"});
  EXPECT_EQ(steps(), (Texts{"create 0 g1", "create 1 g1"}));
  want({"ab", "c"});
  EXPECT_EQ(steps(), Texts());
}

TEST_F(SliceControllerTest, CreatesAnEmptySliceForAnEmptyPool) {
  want({""});
  EXPECT_EQ(steps(), Texts{"create 0 g1"});
}

TEST_F(SliceControllerTest, KeepsTheGenerationIfOneSliceChanges) {
  want({"ab", "c"});
  steps();
  want({"ab", "cd"});
  EXPECT_EQ(steps(), Texts{"update 1 g1"});
}

TEST_F(SliceControllerTest, IncreasesTheGenerationIfTwoSlicesChange) {
  want({"ab", "c", "d"});
  steps();
  want({"a", "bc", "d"});
  EXPECT_EQ(steps(), (Texts{"update 0 g2", "update 1 g2", "update 2 g2"}));
}

TEST_F(SliceControllerTest, IncreasesTheGenerationIfTheCountChanges) {
  want({"ab"});
  steps();
  want({"ab", "c"});
  EXPECT_EQ(steps(), (Texts{"update 0 g2", "create 1 g2"}));
  want({"ab"});
  EXPECT_EQ(steps(), (Texts{"delete 00001", "update 0 g3"}));
}

TEST_F(SliceControllerTest, GoesOnWithAGenerationThatWasInterrupted) {
  want({"ab", "c", "d"});
  steps();
  want({"a", "bc", "d"});
  EXPECT_EQ(step(), "update 0 g2");
  SliceController other("node-1");
  std::swap(controller, other);  // As after a restart.
  want({"a", "bc", "d"});
  EXPECT_EQ(steps(), (Texts{"update 1 g2", "update 2 g2"}));
}

TEST_F(SliceControllerTest, StartsANewGenerationIfTheInterruptedOneIsNotWantedAnyMore) {
  want({"ab", "c", "d"});
  steps();
  want({"a", "bc", "d"});
  EXPECT_EQ(step(), "update 0 g2");
  want({"d", "bc", "a"});
  EXPECT_EQ(steps(), (Texts{"update 0 g3", "update 1 g3", "update 2 g3"}));
}

TEST_F(SliceControllerTest, RestoresADeletedSlice) {
  want({"a", "b"});
  steps();
  store.remove(name_of(0));
  EXPECT_EQ(steps(), Texts{"create 0 g1"});
}

TEST_F(SliceControllerTest, NeverUsesAGenerationAgainThatWasDeleted) {
  want({"a", "b"});
  steps();
  want({"b", "a"});
  steps();
  store.remove(name_of(0));
  store.remove(name_of(1));
  EXPECT_EQ(steps(), (Texts{"create 0 g3", "create 1 g3"}));
}

TEST_F(SliceControllerTest, DeletesASecondSliceOfAnIndex) {
  want({"a"});
  steps();
  store.create(create_body(kPool, "u", {.generation = 1, .count = 1, .devices = devices("a")}));
  EXPECT_EQ(steps(), Texts{"delete 00000"});
  store.create(create_body(kPool, "u", {.generation = 2, .count = 1, .devices = devices("a")}));
  EXPECT_EQ(steps(), Texts{"delete 00000"});
  EXPECT_EQ(store.objects().begin()->second["spec"]["pool"]["generation"], 2)
      << "the newer one stays";
}

TEST_F(SliceControllerTest, DeletesASliceWithAForeignName) {
  Json body = Json::parse(create_body(kPool, "u", {.generation = 1, .count = 1, .devices = "[]"}));
  body["metadata"]["generateName"] = "random-";
  store.create(body.dump());
  want({"a"});
  EXPECT_EQ(steps(), (Texts{"delete rando", "create 0 g1"}));
}

TEST_F(SliceControllerTest, LeavesOtherPoolsAlone) {
  const Pool other{.driver = "d", .node = "other"};
  store.create(create_body(other, "u", {.generation = 7, .count = 1, .devices = devices("z")}));
  want({"a"});
  EXPECT_EQ(steps(), Texts{"create 0 g1"});
  EXPECT_EQ(store.objects().size(), 2U);
}

/// The next write follows from events and answers, without a list.
class SliceControllerEventTest : public SliceControllerTest {
 protected:
  SliceControllerEventTest() {
    want({"a", "b"});
    steps();
    first = name_of(0);
    delivered = store.events().size();
  }

  /// The next event of the store.
  const Json& event() { return store.events().at(delivered++).json; }

  [[nodiscard]] bool is_complete() const { return !controller.next(); }

  std::string first;
  size_t delivered = 0;
};

TEST_F(SliceControllerEventTest, FollowsTheWatch) {
  store.remove(first);
  EXPECT_TRUE(is_complete()) << "the event has not arrived";
  controller.apply(event());
  EXPECT_EQ(controller.next()->kind, Operation::Kind::create);
  store.create(create_body(kPool, "u", controller.next()->content));
  controller.apply(event());
  EXPECT_TRUE(is_complete());
}

TEST_F(SliceControllerEventTest, IgnoresEventsBeforeTheList) {
  store.remove(first);
  step();
  for (size_t i = 0; i < store.events().size() - 1; ++i) controller.apply(store.events()[i].json);
  EXPECT_TRUE(is_complete());
}

TEST_F(SliceControllerEventTest, IgnoresEventsBeforeTheAnswerToAWrite) {
  want({"a", "c"});
  const auto update = controller.next();
  store.touch(update->stored.name);
  controller.set_stored(store.list());
  step();
  EXPECT_TRUE(is_complete());
  while (delivered < store.events().size()) controller.apply(event());
  EXPECT_TRUE(is_complete());
}

TEST_F(SliceControllerEventTest, IgnoresTheDeletionOfAnotherSliceOfTheName) {
  store.remove(first);
  Json deleted = event();
  deleted["object"]["metadata"]["uid"] = "other";
  controller.apply(deleted);
  EXPECT_TRUE(is_complete());
}

TEST_F(SliceControllerTest, WritesAFieldOnceThatTheServerDrops) {
  store.unknown_field = "taints";
  controller.set_wanted({R"([{"name":"a","taints":[{"key":"gone"}]}])"});
  EXPECT_EQ(steps(), Texts{"create 0 g1"});
  EXPECT_EQ(controller.dropped(), Texts{"spec.devices[].taints"});
  want({"a"});
  EXPECT_EQ(steps(), Texts());
  EXPECT_EQ(controller.dropped(), Texts());
}

}  // namespace
}  // namespace patchbay::kube
