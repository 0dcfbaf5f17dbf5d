#include "cli/line_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<ListedUnits> kListed = {
    {.resource = "lab.example.com/gpu", .ids = {"card0::0", "card0::1", "card10::0"}},
    {.resource = "lab.example.com/gpio", .ids = {"chip0"}},
    {.resource = "lab.example.com/uart", .ids = {"A2", "A10"}}};

Completion of(const std::string& typed) { return complete_line(typed, kListed); }

TEST(LineCompletion, CompletesCommands) {
  EXPECT_EQ(of("al").insertion, "locate ");
  EXPECT_EQ(of("  pre").insertion, "fer ");
  EXPECT_THAT(of("").choices, ElementsAre("allocate", "help", "list", "prefer", "quit", "start"));
  EXPECT_THAT(of("x").choices, IsEmpty());
}

TEST(LineCompletion, CompletesResourcesWithoutDomain) {
  EXPECT_EQ(of("allocate u").insertion, "art ");
  EXPECT_EQ(of("allocate g").insertion, "p");
  EXPECT_THAT(of("allocate gp").choices, ElementsAre("gpio", "gpu"));
  EXPECT_EQ(of("allocate lab.example.com/u").insertion, "art ");
  EXPECT_EQ(of("allocate la").insertion, "b.example.com/");
  EXPECT_THAT(of("list ").choices, IsEmpty());
  EXPECT_THAT(of("nonsense ").choices, IsEmpty());
}

TEST(LineCompletion, CompletesDomainWhereNeeded) {
  const std::vector<ListedUnits> twice = {{.resource = "a.io/tty", .ids = {}},
                                          {.resource = "b.io/tty", .ids = {}}};
  EXPECT_THAT(complete_line("start ", twice).choices, ElementsAre("a.io/tty", "b.io/tty"));
}

TEST(LineCompletion, CompletesUnusedIds) {
  EXPECT_THAT(of("start uart ").choices, ElementsAre("A2", "A10"));
  EXPECT_EQ(of("start lab.example.com/uart A2 ").insertion, "A10 ");
  EXPECT_EQ(of("allocate gpu card1").insertion, "0::0 ");
  EXPECT_EQ(of("allocate gpu c").insertion, "ard");
  EXPECT_THAT(of("allocate mole ").choices, IsEmpty());
}

TEST(LineCompletion, OffersNothingForCount) {
  EXPECT_THAT(of("prefer uart ").choices, IsEmpty());
  EXPECT_THAT(of("prefer uart 2 ").choices, ElementsAre("A2", "A10"));
}

}  // namespace
}  // namespace patchbay::cli
