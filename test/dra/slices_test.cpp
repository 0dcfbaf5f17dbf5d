#include "dra/slices.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::dra {
namespace {

std::vector<Device> devices(size_t count) {
  std::vector<Device> all;
  for (size_t i = 0; i < count; ++i) all.push_back({"d" + std::to_string(i), {}});
  return all;
}

std::vector<size_t> sizes(const std::vector<Device>& all) {
  std::vector<size_t> out;
  size_t next = 0;
  for (const auto slice : split_pool(all)) {
    out.push_back(slice.size());
    for (const Device& device : slice) EXPECT_EQ(device.name, all.at(next++).name);
  }
  EXPECT_EQ(next, all.size());
  return out;
}

TEST(Slices, HaveAtMost64DevicesInOrder) {
  using Sizes = std::vector<size_t>;
  EXPECT_EQ(sizes(devices(1)), Sizes{1});
  EXPECT_EQ(sizes(devices(64)), Sizes{64});
  EXPECT_EQ(sizes(devices(65)), (Sizes{64, 1}));
  EXPECT_EQ(sizes(devices(128)), (Sizes{64, 64}));
  EXPECT_EQ(sizes(devices(150)), (Sizes{64, 64, 22}));
}

TEST(Slices, OfEmptyPool_AreOneEmptySlice) { EXPECT_EQ(sizes({}), std::vector<size_t>{0}); }

TEST(Slices, HaveEachNameOnce) {
  std::vector<Device> all{{"a", {{"id", "first"}}}, {"b", {}}, {"a", {{"id", "second"}}}};
  EXPECT_EQ(drop_duplicates(all), std::vector<std::string>{"a"});
  EXPECT_EQ(all, (std::vector<Device>{{"a", {{"id", "first"}}}, {"b", {}}}));
  EXPECT_EQ(drop_duplicates(all), std::vector<std::string>{});
}

TEST(Slices, JsonHasTypedAttributes) {
  const std::vector<Device> all{{"uart-a-01234567",
                                 {{"resource", "lab.example.com/uart"},
                                  {"resource.kubernetes.io/numaNode", int64_t{1}},
                                  {"firmware", Version{"1.2.3"}},
                                  {"removable", true}}},
                                {"bare", {}}};
  const SlicePosition position{.driver = "patchbay.lab.example.com",
                               .node = "bench-1",
                               .index = 26,
                               .count = 27,
                               .generation = 5};
  EXPECT_EQ(json_text(slice_json(position, all)), R"({
  "apiVersion": "resource.k8s.io/v1",
  "kind": "ResourceSlice",
  "metadata": {
    "generateName": "0001a-patchbay.lab.example.com-bench-1-"
  },
  "spec": {
    "driver": "patchbay.lab.example.com",
    "nodeName": "bench-1",
    "pool": {
      "name": "bench-1",
      "generation": 5,
      "resourceSliceCount": 27
    },
    "devices": [
      {
        "name": "uart-a-01234567",
        "attributes": {
          "firmware": {
            "version": "1.2.3"
          },
          "removable": {
            "bool": true
          },
          "resource": {
            "string": "lab.example.com/uart"
          },
          "resource.kubernetes.io/numaNode": {
            "int": 1
          }
        }
      },
      {
        "name": "bare",
        "attributes": {}
      }
    ]
  }
}
)");
}

TEST(Slices, JsonOfEmptySlice) {
  EXPECT_EQ(slice_json({.driver = "d.io", .node = "n"}, {}).dump(),
            R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",)"
            R"("metadata":{"generateName":"00000-d.io-n-"},"spec":{"driver":"d.io",)"
            R"("nodeName":"n","pool":{"name":"n","generation":1,"resourceSliceCount":1},)"
            R"("devices":[]}})");
}

TEST(Slices, PrefixOfNameIsCut) {
  const Json json = slice_json({.driver = "d.io", .node = std::string(253, 'n')}, {});
  EXPECT_EQ(json.at("metadata").at("generateName"), "00000-d.io-" + std::string(47, 'n'));
}

}  // namespace
}  // namespace patchbay::dra
