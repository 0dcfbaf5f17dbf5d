#include "rules/match/condition.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rules/conditions.h"
#include "rules/text/glob.h"

namespace patchbay::rules {
namespace {

using Strings = std::vector<std::string>;
using Values = std::vector<std::string_view>;
using config::ConditionSpec;

ConditionSpec list(std::vector<ConditionSpec> operands) {
  ConditionSpec spec;
  spec.form = ConditionSpec::Form::list;
  spec.list = std::move(operands);
  return spec;
}

ConditionSpec negated(ConditionSpec operand) {
  ConditionSpec spec = mapping();
  spec.negated = {std::move(operand)};
  return spec;
}

Condition compiled(const ConditionSpec& spec) {
  config::Diagnostics diagnostics;
  auto condition = Condition::compile(spec, {}, diagnostics);
  EXPECT_TRUE(condition && diagnostics.ok()) << config::render(diagnostics);
  return *condition;
}

bool matches(const ConditionSpec& spec, const Values& values) {
  return compiled(spec).matches(values);
}

TEST(GlobCondition, MatchesWholeValue) {
  EXPECT_TRUE(matches(text("ttyUSB0"), {"ttyUSB0"}));
  EXPECT_FALSE(matches(text("ttyUSB"), {"ttyUSB0"}));
  EXPECT_FALSE(matches(text("tyUSB0"), {"ttyUSB0"}));
  EXPECT_TRUE(matches(text("ttyUSB*"), {"ttyUSB"}));
  EXPECT_TRUE(matches(text("tty*0"), {"ttyUSB0"}));
  EXPECT_FALSE(matches(text("tty*1"), {"ttyUSB0"}));
  EXPECT_TRUE(matches(text("tty?SB[0-9]"), {"ttyUSB7"}));
  EXPECT_FALSE(matches(text("tty?"), {"tty"}));
  EXPECT_FALSE(matches(text("TTY*"), {"ttyUSB0"}));
}

TEST(GlobCondition, StarMatchesSlashesAndLineBreaks) {
  EXPECT_TRUE(matches(text("/dev/*id*"), {"/dev/serial/by-id/usb-x"}));
  EXPECT_TRUE(matches(text("a*z"), {"a\nb\nz"}));
  EXPECT_TRUE(matches(text("*"), {"anything\nat all"}));
}

TEST(GlobCondition, SupportsClassesAndEscapes) {
  EXPECT_TRUE(matches(text("[!a-c]x"), {"dx"}));
  EXPECT_FALSE(matches(text("[!a-c]x"), {"bx"}));
  EXPECT_TRUE(matches(text("[^a]x"), {"bx"}));
  EXPECT_TRUE(matches(text("[]a]"), {"]"}));
  EXPECT_TRUE(matches(text("[a-]"), {"-"}));
  EXPECT_TRUE(matches(text(R"([\]\-\\])"), {R"(\)"}));
  EXPECT_TRUE(matches(text(R"(a\*b)"), {"a*b"}));
  EXPECT_FALSE(matches(text(R"(a\*b)"), {"axb"}));
  EXPECT_TRUE(matches(text(R"(a\*b*)"), {"a*bc"}));
  EXPECT_TRUE(matches(text("a.(b)+*c"), {"a.(b)+xc"}));
}

TEST(Condition, InvalidUtf8MatchesNeitherRegexNorQuestionMark) {
  EXPECT_FALSE(matches(regex(".*"), {"a\xff"}));
  EXPECT_TRUE(matches(regex(R"(a\C)"), {"a\xff"}));
  EXPECT_FALSE(matches(text("a?"), {"a\xff"}));
  EXPECT_TRUE(matches(text("a*"), {"a\xff"}));
  EXPECT_TRUE(matches(text("*a*"), {"a\xff"}));
  EXPECT_TRUE(matches(negated(regex(".*")), {"a\xff"}));
  EXPECT_TRUE(matches(exists(true), {"a\xff"}));
}

TEST(GlobCondition, WildcardMatchesCharacterInsteadOfByte) {
  EXPECT_TRUE(matches(text("?x"), {"äx"}));
  EXPECT_TRUE(matches(text("[ä-ü]x"), {"öx"}));
  EXPECT_FALSE(matches(text("?x"), {"\xFFx"}));                   // \xFF is not a character.
  EXPECT_TRUE(matches(text("*x"), {std::string("\xFF\0x", 3)}));  // `*` matches any bytes.
}

TEST(GlobCondition, TakesLinearTimeOnHostileValues) {
  std::string glob;
  for (int i = 0; i < 30; ++i) glob += "*a";
  EXPECT_FALSE(matches(text(glob + "b"), {std::string(4096, 'a')}));
}

TEST(GlobForm, IsLiteralPrefixOrPattern) {
  EXPECT_EQ(parse_glob(R"(a\*b)")->form, Glob::Form::literal);
  EXPECT_EQ(parse_glob("a*")->form, Glob::Form::prefix);
  EXPECT_EQ(parse_glob("*")->form, Glob::Form::prefix);
  EXPECT_EQ(parse_glob("a*b")->form, Glob::Form::pattern);
  EXPECT_EQ(parse_glob("a**")->form, Glob::Form::pattern);
  EXPECT_EQ(parse_glob("a?")->form, Glob::Form::pattern);
  EXPECT_EQ(parse_glob("*a*")->form, Glob::Form::pattern);
}

TEST(Condition, ListMatchesIfAnyItemMatches) {
  const auto either = list({text("6001"), text("601*")});
  EXPECT_TRUE(matches(either, {"6001"}));
  EXPECT_TRUE(matches(either, {"6015"}));
  EXPECT_FALSE(matches(either, {"6020"}));
}

TEST(Condition, RegexMatchesWholeValue) {
  EXPECT_TRUE(matches(regex("tty\\d+"), {"tty12"}));
  EXPECT_FALSE(matches(regex("tty\\d+"), {"tty12x"}));
  EXPECT_FALSE(matches(regex("tty\\d+"), {"xtty12"}));
  EXPECT_FALSE(matches(regex("a|b"), {"ab"}));
  EXPECT_FALSE(matches(regex("a.b"), {"a\nb"}));
  EXPECT_TRUE(matches(regex("(?s)a.b"), {"a\nb"}));
  EXPECT_FALSE(matches(regex(".*"), {"\xFF"}));
}

TEST(Condition, EmptyTextIsAValue) {
  const Values empty{""};
  EXPECT_TRUE(matches(text("*"), empty));
  EXPECT_TRUE(matches(regex(".*"), empty));
  EXPECT_FALSE(matches(text("?*"), empty));
  EXPECT_FALSE(matches(text("a"), empty));
  EXPECT_TRUE(matches(negated(text("a")), empty));
  EXPECT_TRUE(matches(exists(true), empty));
  EXPECT_FALSE(matches(exists(false), empty));
}

TEST(Condition, AbsentValueMatchesOnlyExistsFalse) {
  const Values absent;
  EXPECT_FALSE(matches(text("*"), absent));
  EXPECT_FALSE(matches(regex(".*"), absent));
  EXPECT_FALSE(matches(text("a"), absent));
  EXPECT_FALSE(matches(negated(text("a")), absent));
  EXPECT_FALSE(matches(negated(exists(false)), absent));
  EXPECT_FALSE(matches(exists(true), absent));
  EXPECT_TRUE(matches(exists(false), absent));
  EXPECT_TRUE(matches(list({exists(false), negated(text("a"))}), absent));
  EXPECT_TRUE(matches(exists(true), {"a"}));
  EXPECT_FALSE(matches(exists(false), {"a"}));
  EXPECT_FALSE(matches(list({exists(false), negated(text("a"))}), {"a"}));
}

TEST(Condition, MatchesIfOneOfSeveralValuesMatches) {
  const Values links{"/dev/serial/by-id/x", "/dev/serial/by-path/y"};
  EXPECT_TRUE(matches(text("*/by-path/*"), links));
  EXPECT_FALSE(matches(text("*/by-label/*"), links));
  EXPECT_TRUE(matches(negated(text("*/by-label/*")), links));
  EXPECT_FALSE(matches(negated(text("*/by-path/*")), links));
  EXPECT_TRUE(matches(negated(negated(text("*/by-path/*"))), links));
}

TEST(Condition, AllKeysOfMappingMustMatchOneValue) {
  ConditionSpec both = regex("[a-z]?(?P<digit>\\d)");
  both.lt = {"2", {}};
  Captures captures;
  EXPECT_TRUE(compiled(both).matches(Values{"b2", "1"}, &captures));
  EXPECT_EQ(captures, (Captures{{"digit", "1"}}));  // The mapping does not match b2.
  EXPECT_FALSE(matches(both, {"b2", "-1"}));

  ConditionSpec regex_but = regex("tty.*");
  regex_but.negated = {text("ttyS*")};
  EXPECT_TRUE(matches(regex_but, {"ttyUSB0"}));
  EXPECT_FALSE(matches(regex_but, {"ttyS0"}));
  EXPECT_FALSE(matches(regex_but, {"ttyUSB0", "ttyS0"})) << "`not` concerns all values";
}

TEST(Condition, CapturesNamedGroupsOnlyOnMatch) {
  const Condition condition =
      compiled(list({regex("tty(?P<n>\\d+)"), regex("usb(?P<m>\\d*)-(?P<n>.*)")}));
  EXPECT_EQ(condition.capture_names(), (Strings{"m", "n"}));
  Captures captures;
  EXPECT_TRUE(condition.matches(Values{"usb-x"}, &captures));
  EXPECT_EQ(captures, (Captures{{"n", "x"}}));  // An empty group is absent.
  captures.clear();
  EXPECT_FALSE(condition.matches(Values{"tty"}, &captures));
  EXPECT_TRUE(captures.empty());
}

TEST(Condition, MatchesIfNoCapturesAreRequested) {
  const Condition condition = compiled(regex("tty(?P<n>\\d+)"));
  EXPECT_TRUE(condition.matches(Values{"tty1"}));
  EXPECT_FALSE(condition.matches(Values{"tty"}));
}

TEST(Condition, CapturesNothingInsideNot) {
  const Condition condition = compiled(negated(regex("(?P<n>x)")));
  Captures captures;
  EXPECT_TRUE(condition.matches(Values{"y"}, &captures));
  EXPECT_TRUE(captures.empty());
  EXPECT_TRUE(condition.capture_names().empty());
}

TEST(Condition, SupportsEqualityAndPrinting) {
  EXPECT_EQ(compiled(text("tty*")), compiled(text("tty*")));
  EXPECT_FALSE(compiled(text("tty*")) == compiled(text("tt*")));
  EXPECT_FALSE(compiled(text("a")) == compiled(regex("a")));
  EXPECT_EQ(compiled(list({text("a")})), compiled(text("a")));
  EXPECT_EQ(compiled(list({text("6001"), text("a*b")})).to_text(), R"(["6001", "a*b"])");
  ConditionSpec both = regex("x\n.*");
  both.negated = {exists(false)};
  EXPECT_EQ(compiled(both).to_text(), R"({not: {exists: false}, regex: "x\x0a.*"})");
}

TEST(Condition, FnmatchPatternsCoverAllMatches) {
  EXPECT_EQ(compiled(text("tty")).fnmatch_cover(), Strings{"tty"});
  EXPECT_EQ(compiled(text("infiniband*")).fnmatch_cover(), Strings{"infiniband*"});
  // fnmatch() compares bytes in the C locale, and a condition compares characters.
  EXPECT_EQ(compiled(text("caf\u00e9*")).fnmatch_cover(), Strings{"*"});
  EXPECT_EQ(compiled(text("caf\u00e9[0-9]")).fnmatch_cover(), Strings{"*"});
  EXPECT_EQ(compiled(text("~\x01*")).fnmatch_cover(), Strings{"~\x01*"}) << "the bounds of ASCII";
  EXPECT_EQ(compiled(text("caf\u00e9")).fnmatch_cover(), Strings{"caf\u00e9"});
  EXPECT_EQ(compiled(list({text("tty"), text("n[e]t")})).fnmatch_cover(),
            (Strings{"tty", "n[e]t"}));
  EXPECT_EQ(compiled(text(R"(a\*)")).fnmatch_cover(), Strings{R"(a\*)"});
  EXPECT_EQ(compiled(regex("tty|net")).fnmatch_cover(), Strings{"*"});
  EXPECT_EQ(compiled(negated(text("tty"))).fnmatch_cover(), Strings{"*"});
  EXPECT_EQ(compiled(exists(true)).fnmatch_cover(), Strings{"*"});
}

TEST(Condition, RejectsPatternThatNeedsTooMuchMemory) {
  config::Diagnostics diagnostics;
  EXPECT_FALSE(Condition::compile(regex("((a{100}){100}){100}"), {}, diagnostics));
  EXPECT_FALSE(diagnostics.ok());
}

/// The condition {gt: A, ge: B, lt: C, le: D} without the bounds that are empty here.
ConditionSpec range(const std::string& gt, const std::string& ge, const std::string& lt,
                    const std::string& le) {
  ConditionSpec spec = mapping();
  if (!gt.empty()) spec.gt = {gt, {}};
  if (!ge.empty()) spec.ge = {ge, {}};
  if (!lt.empty()) spec.lt = {lt, {}};
  if (!le.empty()) spec.le = {le, {}};
  return spec;
}

TEST(ConditionRange, ComparesNumbers) {
  const Condition between = compiled(range("1", "", "", "0x10"));
  for (const std::string value : {"2", "1.5", "0x10", "+16", "16.0"}) {
    EXPECT_TRUE(between.matches(Values{value})) << value;
  }
  for (const std::string value : {"1", "17", "0x11", "-2", "1.0"}) {
    EXPECT_FALSE(between.matches(Values{value})) << value;
  }
  EXPECT_TRUE(compiled(range("", "-5", "0", "")).matches(Values{"-5"}));
  EXPECT_TRUE(compiled(range("0", "1", "3", "2")).matches(Values{"2"}));
  EXPECT_FALSE(compiled(range("0", "1", "3", "2")).matches(Values{"2.5"}));
}

TEST(ConditionRange, AcceptsUnitSuffixesInBounds) {
  EXPECT_TRUE(compiled(range("", "2k", "", "2k")).matches(Values{"2000"}));
  EXPECT_TRUE(compiled(range("", "3M", "", "3M")).matches(Values{"3000000"}));
  EXPECT_TRUE(compiled(range("", "1G", "", "1G")).matches(Values{"1000000000"}));
  EXPECT_TRUE(compiled(range("", "1Ki", "", "1Ki")).matches(Values{"1024"}));
  EXPECT_TRUE(compiled(range("", "0x2Mi", "", "0.002Gi")).matches(Values{"2097152"}));
  EXPECT_TRUE(compiled(range("", "1Ti", "", "1Ti")).matches(Values{"1099511627776"}));
  EXPECT_FALSE(compiled(range("", "1", "", "")).matches(Values{"2k"}));  // Values have no units.
}

TEST(ConditionRange, ComparesExactlyFor64BitIntegers) {
  const Condition most = compiled(range("", "18446744073709551615", "", ""));
  EXPECT_TRUE(most.matches(Values{"0xffffffffffffffff"}));
  EXPECT_FALSE(most.matches(Values{"18446744073709551614"}));
}

TEST(ConditionRange, RejectsNonNumericValues) {
  const Condition any = compiled(range("", "-1G", "1G", ""));
  for (const std::string value : {"", "one", "1e3", "inf", "nan", "1 2", "0x", "1.", ".5", "--1",
                                  "0x10000000000000000", "5 MHz"}) {
    EXPECT_FALSE(any.matches(Values{value})) << value;
    EXPECT_TRUE(compiled(negated(range("", "-1G", "1G", ""))).matches(Values{value}));
  }
  EXPECT_FALSE(any.matches({}));
  EXPECT_FALSE(compiled(negated(range("", "1", "", ""))).matches({}));
}

TEST(ConditionRange, OneOfSeveralValuesMustMeetAllBounds) {
  const Condition between = compiled(range("2", "", "8", ""));
  EXPECT_FALSE(between.matches(Values{"1", "9"}));
  EXPECT_TRUE(between.matches(Values{"1", "x", "5"}));
  EXPECT_FALSE(compiled(negated(range("2", "", "8", ""))).matches(Values{"1", "5"}));
  EXPECT_TRUE(compiled(list({text("x"), range("2", "", "8", "")})).matches(Values{"5"}));
}

TEST(ConditionRange, SupportsEqualityAndPrinting) {
  EXPECT_EQ(compiled(range("1", "", "", "0x10")).to_text(), "{gt: 1, le: 0x10}");
  EXPECT_EQ(compiled(range("1", "", "", "2k")), compiled(range("1", "", "", "2k")));
  EXPECT_FALSE(compiled(range("1", "", "", "")) == compiled(range("", "1", "", "")));
}

}  // namespace
}  // namespace patchbay::rules
