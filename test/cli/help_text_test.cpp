#include "cli/options/help_text.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

TEST(HelpText, AlignsDescriptions) {
  EXPECT_EQ(format_help({.summary = "Does it.",
                         .usage = "it [options]",
                         .sections = {{"Options", {{"  -a", "First."}, {"  --beta", "Second."}}},
                                      {"Others", {{"  x", "Third."}}}},
                         .footer = "Examples:\n  it -a\n"}),
            "Does it.\n\nUsage: it [options]\n"
            "\nOptions:\n  -a      First.\n  --beta  Second.\n"
            "\nOthers:\n  x  Third.\n"
            "\nExamples:\n  it -a\n");
}

TEST(HelpText, WrapsDescriptions) {
  const std::string seventy(70, 'x');
  EXPECT_EQ(format_help({.summary = "S.",
                         .usage = "u",
                         .sections = {{"O", {{"  --a", seventy + " yy zz"}}}},
                         .footer = ""}),
            "S.\n\nUsage: u\n\nO:\n  --a  " + seventy + " yy\n       zz\n");
  const std::string wide(100, 'w');  // A word that cannot be wrapped.
  EXPECT_EQ(format_help({.summary = "S.",
                         .usage = "u",
                         .sections = {{"O", {{"  --a", "x " + wide + " y"}}}},
                         .footer = ""}),
            "S.\n\nUsage: u\n\nO:\n  --a  x\n       " + wide + "\n       y\n");
}

}  // namespace
}  // namespace patchbay::cli
