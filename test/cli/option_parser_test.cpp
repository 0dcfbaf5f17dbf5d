#include "cli/options/option_parser.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

using Words = std::vector<std::string>;

/// For parsers with one option of each kind.
class OptionParserTest : public testing::Test {
 protected:
  void declare(OptionParser& parser) {
    parser.add_list({.names = "FILE", .value = "...", .meaning = "Files.", .required = true},
                    [this](const std::string& text) {
                      files_.push_back(text);
                      return Result<void>{};
                    });
    parser.add_value({"-n,--name", "NAME", "A name."}, [this](const std::string& text) {
      name_ = text;
      return text == "bad" ? Result<void>(fail("takes a good name")) : Result<void>{};
    });
    parser.add_flag({.names = "--fast", .meaning = "Be fast."}, fast_);
  }

  /// The result of parsing: "run", "help", or the error.
  std::string parsed(const Words& arguments) {
    OptionParser parser;
    declare(parser);
    files_.clear();
    const auto result = parser.parse(arguments);
    if (!result) return result.error().message;
    return *result == OptionParser::Parsed::help ? "help" : "run";
  }

  Words files_;
  std::string name_;
  bool fast_ = false;
};

TEST_F(OptionParserTest, SetsValuesFromArguments) {
  EXPECT_EQ(parsed({"a", "-n", "x", "--fast", "b"}), "run");
  EXPECT_EQ(files_, (Words{"a", "b"}));
  EXPECT_EQ(name_, "x");
  EXPECT_TRUE(fast_);
}

TEST_F(OptionParserTest, AcceptsUsualSpellings) {
  EXPECT_EQ(parsed({"--name=a=b", "a"}), "run");
  EXPECT_EQ(name_, "a=b");
  EXPECT_EQ(parsed({"-nx", "a", "--fast", "--fast"}), "run");
  EXPECT_EQ(name_, "x");
  EXPECT_EQ(files_, Words{"a"});
  EXPECT_EQ(parsed({"-n", "x", "a", "b"}), "run");
  EXPECT_EQ(files_, (Words{"a", "b"}));
  EXPECT_EQ(parsed({"--name", "--fast", "a"}), "run");
  EXPECT_EQ(name_, "--fast");
  EXPECT_EQ(parsed({"--name", "x", "--", "-y"}), "run");
  EXPECT_EQ(files_, Words{"-y"});
}

TEST_F(OptionParserTest, FirstDoubleDashEndsOptions) {
  EXPECT_EQ(parsed({"-n", "x", "--", "c", "-x", "--fast", "--", "\x01"}), "run");
  EXPECT_EQ(files_, (Words{"c", "-x", "--fast", "--", "\x01"}));
  EXPECT_FALSE(fast_);
}

TEST_F(OptionParserTest, AcceptsCombinedShortOptions) {
  OptionParser parser;
  declare(parser);
  bool watch = false;
  parser.add_flag({.names = "-w,--watch", .meaning = "Watch."}, watch);
  ASSERT_TRUE(parser.parse({"-wnx", "a"}));
  EXPECT_TRUE(watch);
  EXPECT_EQ(name_, "x");
  const auto unknown = parser.parse({"-wxy", "a"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "unknown option '-xy'");
}

TEST_F(OptionParserTest, RepeatedOptionAndArgumentsKeepTheirOrder) {
  OptionParser parser;
  declare(parser);
  parser.add_list({.names = "-c,--config", .value = "PATH", .meaning = "A path."},
                  [&](const std::string& text) {
                    files_.push_back("option " + text);
                    return Result<void>{};
                  });
  ASSERT_TRUE(parser.parse({"-c", "a", "b", "c", "--fast", "--config=d", "-ce", "f"}));
  EXPECT_EQ(files_, (Words{"option a", "b", "c", "option d", "option e", "f"}));
  EXPECT_TRUE(fast_);
}

TEST_F(OptionParserTest, ReportsErrors) {
  EXPECT_EQ(parsed({}), "FILE is required");
  EXPECT_EQ(parsed({"a", "--name"}), "--name needs a value");
  EXPECT_EQ(parsed({"a", "--name="}), "--name needs a value");
  EXPECT_EQ(parsed({"a", "-n", "x", "-n", "y"}), "--name is given more than once");
  EXPECT_EQ(parsed({"a", "-n", "bad"}), "--name takes a good name");
  EXPECT_EQ(parsed({"a", "--fast=yes"}), "--fast takes no value");
  EXPECT_EQ(parsed({"a", "--fats"}), "unknown option '--fats'; did you mean '--fast'?");
  EXPECT_EQ(parsed({"--fats"}), "unknown option '--fats'; did you mean '--fast'?");
  EXPECT_EQ(parsed({"a", "-x"}), "unknown option '-x'");
  EXPECT_EQ(parsed({"--fats=3", "--name"}), "unknown option '--fats'; did you mean '--fast'?");
}

TEST_F(OptionParserTest, HelpPrecedesErrors) {
  EXPECT_EQ(parsed({"--help"}), "help");
  EXPECT_EQ(parsed({"-h"}), "help");
  EXPECT_EQ(parsed({"--fast", "--help"}), "help");
  EXPECT_EQ(parsed({"--fats", "--help", "--name"}), "help");
}

TEST_F(OptionParserTest, HelpDescribesOptions) {
  OptionParser parser;
  declare(parser);
  EXPECT_EQ(format_help({.summary = "S.", .usage = "u", .sections = parser.help(), .footer = ""}),
            "S.\n\nUsage: u\n"
            "\nArguments:\n  FILE ...  Files.\n"
            "\nOptions:\n"
            "  -h, --help       Print this help and exit.\n"
            "  -n, --name NAME  A name.\n"
            "      --fast       Be fast.\n");
}

}  // namespace
}  // namespace patchbay::cli
