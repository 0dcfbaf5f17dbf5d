#include "fake/extended_resource_name.h"

#include <string>

#include <gtest/gtest.h>

namespace patchbay::fake {
namespace {

TEST(ExtendedResourceName, AcceptsNamesThatKubeletAccepts) {
  for (const std::string& name :
       {std::string("example.com/gpu"), std::string("gpu/x"), std::string("k8s.io/gpu"),
        std::string("example.com/GPU_v1.2-b"), std::string("a-b.c/0"), std::string(244, 'a') + "/x",
        "example.com/" + std::string(63, 'x')}) {
    EXPECT_TRUE(is_extended_resource_name(name)) << name;
  }
}

TEST(ExtendedResourceName, RejectsNamesThatKubeletRejects) {
  for (const std::string& name : {std::string(),
                                  std::string("gpu"),
                                  std::string("/gpu"),
                                  std::string("example.com/"),
                                  std::string("a/b/c"),
                                  std::string("kubernetes.io/x"),
                                  std::string("foo.kubernetes.io/x"),
                                  std::string("notkubernetes.io/x"),
                                  std::string("requests.example.com/x"),
                                  std::string("Example.com/x"),
                                  std::string("example..com/x"),
                                  std::string(".com/x"),
                                  std::string("-a.com/x"),
                                  std::string("a-.com/x"),
                                  std::string("a_b.com/x"),
                                  std::string("example.com/-x"),
                                  std::string("example.com/x_"),
                                  std::string("example.com/a b"),
                                  std::string("example.com/ä"),
                                  std::string(245, 'a') + "/x",
                                  "example.com/" + std::string(64, 'x')}) {
    EXPECT_FALSE(is_extended_resource_name(name)) << name;
  }
}

}  // namespace
}  // namespace patchbay::fake
