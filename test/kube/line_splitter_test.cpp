#include "kube/line_splitter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::kube {
namespace {

TEST(LineSplitter, JoinsChunks) {
  LineSplitter splitter;
  std::vector<std::string> lines;
  const auto keep = [&](std::string_view line) {
    lines.emplace_back(line);
    return line != "end";
  };
  EXPECT_TRUE(splitter.add("on", keep));
  EXPECT_TRUE(splitter.add("e\n\ntwo\nth", keep));
  EXPECT_FALSE(splitter.add("ree\nend\nfour\n", keep));
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "two", "three", "end"}));
}

TEST(LineSplitter, GivesUpALongLine) {
  LineSplitter splitter;
  const std::string part(LineSplitter::kMaxLine, 'x');
  EXPECT_TRUE(splitter.add(part, [](auto) { return true; }));
  EXPECT_FALSE(splitter.add("x", [](auto) { return true; }));
  LineSplitter other;
  EXPECT_FALSE(other.add(part + "x\n", [](auto) { return true; }));
}

}  // namespace
}  // namespace patchbay::kube
