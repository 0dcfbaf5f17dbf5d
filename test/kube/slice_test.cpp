#include "kube/slice.h"

#include <gtest/gtest.h>

#include "kube/slice_store.h"

namespace patchbay::kube {
namespace {

Json stored_object() {
  return Json::parse(R"({
    "metadata": {"name": "00001-x-abcde", "uid": "u1", "resourceVersion": "42",
                 "labels": {"a": "b"}, "managedFields": [{"manager": "m"}]},
    "spec": {"driver": "patchbay.lab.example.com", "nodeName": "node-1", "future": 1,
             "pool": {"name": "node-1", "generation": 3, "resourceSliceCount": 2},
             "devices": [{"name": "uart-a"}, {"name": "uart-b"}]}})");
}

TEST(CreateBody, IsTheWholeObject) {
  const Content content{
      .index = 26, .generation = 4, .count = 27, .devices = R"([{"name":"uart-a"}])"};
  EXPECT_EQ(Json::parse(create_body(kPool, "node-uid", content)), Json::parse(R"({
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {
      "generateName": "0001a-patchbay.lab.example.com-node-1-",
      "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "node-1",
                           "uid": "node-uid", "controller": true}]
    },
    "spec": {
      "driver": "patchbay.lab.example.com",
      "nodeName": "node-1",
      "pool": {"name": "node-1", "generation": 4, "resourceSliceCount": 27},
      "devices": [{"name": "uart-a"}]
    }})"));
}

TEST(CreateBody, CutsALongName) {
  const Pool pool{.driver = std::string(63, 'd'), .node = std::string(253, 'n')};
  const Json body = Json::parse(create_body(pool, "u", {.devices = "[]"}));
  EXPECT_EQ(body["metadata"]["generateName"], "00000-" + std::string(52, 'd'));
}

TEST(ParseSlice, ReadsTheFields) {
  const auto slice = parse_slice(stored_object());
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice->name, "00001-x-abcde");
  EXPECT_EQ(slice->uid, "u1");
  EXPECT_EQ(slice->version, 42U);
  EXPECT_EQ(slice->pool, "node-1");
  EXPECT_EQ(slice->generation, 3);
  EXPECT_EQ(slice->count, 2);
  EXPECT_EQ(slice->devices, R"([{"name":"uart-a"},{"name":"uart-b"}])");
}

TEST(ParseSlice, AcceptsASliceWithoutDevices) {
  Json object = stored_object();
  object["spec"].erase("devices");
  EXPECT_EQ(parse_slice(object)->devices, "[]");
}

TEST(ParseSlice, RejectsOtherValues) {
  EXPECT_FALSE(parse_slice(Json()));
  EXPECT_FALSE(parse_slice(Json::parse("[1]")));
  for (const char* key : {"name", "uid", "resourceVersion"}) {
    Json object = stored_object();
    object["metadata"].erase(key);
    EXPECT_FALSE(parse_slice(object)) << key;
  }
}

TEST(UpdateBody, KeepsOtherFields) {
  const Content content{.index = 1, .generation = 4, .count = 1, .devices = "[]"};
  EXPECT_EQ(Json::parse(update_body(*parse_slice(stored_object()), content)), Json::parse(R"({
    "metadata": {"name": "00001-x-abcde", "uid": "u1", "resourceVersion": "42",
                 "labels": {"a": "b"}},
    "spec": {"driver": "patchbay.lab.example.com", "nodeName": "node-1", "future": 1,
             "pool": {"name": "node-1", "generation": 4, "resourceSliceCount": 1},
             "devices": []}})"));
}

TEST(DeleteBody, NamesTheVersion) {
  EXPECT_EQ(Json::parse(delete_body(*parse_slice(stored_object()))), Json::parse(R"({
    "apiVersion": "v1", "kind": "DeleteOptions",
    "preconditions": {"uid": "u1", "resourceVersion": "42"}})"));
}

TEST(IndexOf, ReadsOnlyNamesOfThisProgram) {
  EXPECT_EQ(index_of("00000-driver-node-abcde"), 0U);
  EXPECT_EQ(index_of("0001a-driver"), 26U);
  EXPECT_EQ(index_of("100000-driver"), 0x100000U);
  EXPECT_EQ(index_of("001a-driver"), std::nullopt);
  EXPECT_EQ(index_of("0001A-driver"), std::nullopt);
  EXPECT_EQ(index_of("node-1-driver"), std::nullopt);
  EXPECT_EQ(index_of("00001"), std::nullopt);
  EXPECT_EQ(index_of("fffffffffffffffff-driver"), std::nullopt);
}

std::string dropped(const char* sent, const char* stored) {
  std::set<std::string> paths;
  find_dropped(Json::parse(sent), Json::parse(stored), "spec.devices", paths);
  std::string text;
  for (const std::string& path : paths) text += path + "\n";
  return text;
}

TEST(FindDropped, ListsEachPathOnce) {
  const char* sent = R"([{"name":"a","taints":[{"key":"k"}]},{"name":"b","taints":[]},
                         {"name":"c","attributes":{"x":{"int":1},"y":{"int":2}}}])";
  const char* stored =
      R"([{"name":"a"},{"name":"b"},{"name":"c","attributes":{"x":{"int":1}},"more":1}])";
  EXPECT_EQ(dropped(sent, stored), "spec.devices[].attributes.y\nspec.devices[].taints\n");
  EXPECT_EQ(dropped(sent, sent), "");
}

TEST(IsObjectName, AcceptsOnlyDnsNames) {
  for (const char* name : {"a", "node-1", "d.example.com", "0"}) {
    EXPECT_TRUE(is_object_name(name)) << name;
  }
  for (const char* name : {"", ".", "..", "-a", "A", "a/b", "a?b", "a%2f", "a b"}) {
    EXPECT_FALSE(is_object_name(name)) << name;
  }
  EXPECT_TRUE(is_object_name(std::string(253, 'a')));
  EXPECT_FALSE(is_object_name(std::string(254, 'a')));
}

}  // namespace
}  // namespace patchbay::kube
