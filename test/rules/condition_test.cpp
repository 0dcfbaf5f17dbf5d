#include "rules/condition.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rules/conditions.h"
#include "rules/glob.h"

namespace patchbay::rules {
namespace {

using Strings = std::vector<std::string>;
using Values = std::vector<std::string_view>;
using config::ConditionSpec;

ConditionSpec list(std::vector<ConditionSpec> parts) {
  ConditionSpec spec;
  spec.form = ConditionSpec::Form::list;
  spec.list = std::move(parts);
  return spec;
}

ConditionSpec is(std::string value) {
  ConditionSpec spec = mapping();
  spec.is = {std::move(value), {}};
  return spec;
}

ConditionSpec negated(ConditionSpec part) {
  ConditionSpec spec = mapping();
  spec.negated = {std::move(part)};
  return spec;
}

Condition compiled(const ConditionSpec& spec) {
  config::Diagnostics diagnostics;
  auto condition = Condition::compile(spec, {}, diagnostics);
  EXPECT_TRUE(condition && diagnostics.ok()) << config::render(diagnostics);
  return *condition;
}

bool holds(const ConditionSpec& spec, const Values& values) { return compiled(spec).holds(values); }

TEST(GlobCondition, MatchesTheWholeValue) {
  EXPECT_TRUE(holds(text("ttyUSB0"), {"ttyUSB0"}));
  EXPECT_FALSE(holds(text("ttyUSB"), {"ttyUSB0"}));
  EXPECT_FALSE(holds(text("tyUSB0"), {"ttyUSB0"}));
  EXPECT_TRUE(holds(text("ttyUSB*"), {"ttyUSB"}));
  EXPECT_TRUE(holds(text("tty*0"), {"ttyUSB0"}));
  EXPECT_FALSE(holds(text("tty*1"), {"ttyUSB0"}));
  EXPECT_TRUE(holds(text("tty?SB[0-9]"), {"ttyUSB7"}));
  EXPECT_FALSE(holds(text("tty?"), {"tty"}));
  EXPECT_FALSE(holds(text("TTY*"), {"ttyUSB0"}));
}

TEST(GlobCondition, StarCrossesSlashesAndLines) {
  EXPECT_TRUE(holds(text("/dev/*id*"), {"/dev/serial/by-id/usb-x"}));
  EXPECT_TRUE(holds(text("a*z"), {"a\nb\nz"}));
  EXPECT_TRUE(holds(text("*"), {"anything\nat all"}));
}

TEST(GlobCondition, KnowsClassesAndEscapes) {
  EXPECT_TRUE(holds(text("[!a-c]x"), {"dx"}));
  EXPECT_FALSE(holds(text("[!a-c]x"), {"bx"}));
  EXPECT_TRUE(holds(text("[^a]x"), {"bx"}));
  EXPECT_TRUE(holds(text("[]a]"), {"]"}));
  EXPECT_TRUE(holds(text("[a-]"), {"-"}));
  EXPECT_TRUE(holds(text(R"([\]\-\\])"), {R"(\)"}));
  EXPECT_TRUE(holds(text(R"(a\*b)"), {"a*b"}));
  EXPECT_FALSE(holds(text(R"(a\*b)"), {"axb"}));
  EXPECT_TRUE(holds(text(R"(a\*b*)"), {"a*bc"}));
  EXPECT_TRUE(holds(text("a.(b)+*c"), {"a.(b)+xc"}));
}

TEST(Condition, BytesThatAreNotUtf8MatchNoRegexAndNoQuestionMark) {
  EXPECT_FALSE(holds(regex(".*"), {"a\xff"}));
  EXPECT_TRUE(holds(regex(R"(a\C)"), {"a\xff"}));
  EXPECT_FALSE(holds(text("a?"), {"a\xff"}));
  EXPECT_TRUE(holds(text("a*"), {"a\xff"}));
  EXPECT_TRUE(holds(text("*a*"), {"a\xff"}));
  EXPECT_TRUE(holds(is("a\xff"), {"a\xff"}));
  EXPECT_TRUE(holds(negated(regex(".*")), {"a\xff"}));
  EXPECT_TRUE(holds(exists(true), {"a\xff"}));
}

TEST(GlobCondition, CountsCharactersNotBytes) {
  EXPECT_TRUE(holds(text("?x"), {"äx"}));
  EXPECT_TRUE(holds(text("[ä-ü]x"), {"öx"}));
  EXPECT_FALSE(holds(text("?x"), {"\xFFx"}));                   // No character at all.
  EXPECT_TRUE(holds(text("*x"), {std::string("\xFF\0x", 3)}));  // `*` takes any bytes.
}

TEST(GlobCondition, TakesLinearTimeOnHostileValues) {
  std::string glob;
  for (int i = 0; i < 30; ++i) glob += "*a";
  EXPECT_FALSE(holds(text(glob + "b"), {std::string(4096, 'a')}));
}

TEST(GlobForm, HasAFastPathWhereThereIsNoWildcard) {
  EXPECT_EQ(parse_glob(R"(a\*b)")->form, Glob::Form::literal);
  EXPECT_EQ(parse_glob("a*")->form, Glob::Form::prefix);
  EXPECT_EQ(parse_glob("*")->form, Glob::Form::prefix);
  EXPECT_EQ(parse_glob("a*b")->form, Glob::Form::pattern);
  EXPECT_EQ(parse_glob("a**")->form, Glob::Form::pattern);
  EXPECT_EQ(parse_glob("a?")->form, Glob::Form::pattern);
  EXPECT_EQ(parse_glob("*a*")->form, Glob::Form::pattern);
}

TEST(Condition, ListHoldsIfAnyPartDoes) {
  const auto either = list({text("6001"), text("601*")});
  EXPECT_TRUE(holds(either, {"6001"}));
  EXPECT_TRUE(holds(either, {"6015"}));
  EXPECT_FALSE(holds(either, {"6020"}));
}

TEST(Condition, IsComparesLiterally) {
  EXPECT_TRUE(holds(is("a*b"), {"a*b"}));
  EXPECT_FALSE(holds(is("a*b"), {"axb"}));
}

TEST(Condition, RegexMatchesTheWholeValue) {
  EXPECT_TRUE(holds(regex("tty\\d+"), {"tty12"}));
  EXPECT_FALSE(holds(regex("tty\\d+"), {"tty12x"}));
  EXPECT_FALSE(holds(regex("tty\\d+"), {"xtty12"}));
  EXPECT_FALSE(holds(regex("a|b"), {"ab"}));
  EXPECT_FALSE(holds(regex("a.b"), {"a\nb"}));
  EXPECT_TRUE(holds(regex("(?s)a.b"), {"a\nb"}));
  EXPECT_FALSE(holds(regex(".*"), {"\xFF"}));
}

TEST(Condition, AbsentValuesMeetOnlyExistsFalse) {
  for (const Values& absent : {Values{}, Values{""}}) {
    EXPECT_FALSE(holds(text("*"), absent));
    EXPECT_FALSE(holds(regex(".*"), absent));
    EXPECT_FALSE(holds(is("a"), absent));
    EXPECT_FALSE(holds(negated(text("a")), absent));
    EXPECT_FALSE(holds(negated(exists(false)), absent));
    EXPECT_FALSE(holds(exists(true), absent));
    EXPECT_TRUE(holds(exists(false), absent));
    EXPECT_TRUE(holds(list({exists(false), negated(text("a"))}), absent));
  }
  EXPECT_TRUE(holds(exists(true), {"a"}));
  EXPECT_FALSE(holds(exists(false), {"a"}));
  EXPECT_FALSE(holds(list({exists(false), negated(text("a"))}), {"a"}));
}

TEST(Condition, OfSeveralValuesOneMustMeetIt) {
  const Values links{"/dev/serial/by-id/x", "/dev/serial/by-path/y"};
  EXPECT_TRUE(holds(text("*/by-path/*"), links));
  EXPECT_FALSE(holds(text("*/by-label/*"), links));
  EXPECT_TRUE(holds(negated(text("*/by-label/*")), links));
  EXPECT_FALSE(holds(negated(text("*/by-path/*")), links));
  EXPECT_TRUE(holds(negated(negated(text("*/by-path/*"))), links));
}

TEST(Condition, AllKeysOfAMappingHoldForOneValue) {
  ConditionSpec both = is("a1");
  both.regex = {"[a-z](?P<digit>\\d)", {}};
  Captures captures;
  EXPECT_TRUE(compiled(both).holds(Values{"b2", "a1"}, &captures));
  EXPECT_EQ(captures, (Captures{{"digit", "1"}}));  // Not b2's.
  EXPECT_FALSE(holds(both, {"b2", "a"}));

  ConditionSpec regex_but = regex("tty.*");
  regex_but.negated = {text("ttyS*")};
  EXPECT_TRUE(holds(regex_but, {"ttyUSB0"}));
  EXPECT_FALSE(holds(regex_but, {"ttyS0"}));
}

TEST(Condition, CapturesNamedGroupsOnlyWhenItHolds) {
  const Condition condition =
      compiled(list({regex("tty(?P<n>\\d+)"), regex("usb(?P<m>\\d*)-(?P<n>.*)")}));
  EXPECT_EQ(condition.capture_names(), (Strings{"m", "n"}));
  Captures captures;
  EXPECT_TRUE(condition.holds(Values{"usb-x"}, &captures));
  EXPECT_EQ(captures, (Captures{{"n", "x"}}));  // An empty group is absent.
  captures.clear();
  EXPECT_FALSE(condition.holds(Values{"tty"}, &captures));
  EXPECT_TRUE(captures.empty());
}

TEST(Condition, CapturesNothingInsideNot) {
  const Condition condition = compiled(negated(regex("(?P<n>x)")));
  Captures captures;
  EXPECT_TRUE(condition.holds(Values{"y"}, &captures));
  EXPECT_TRUE(captures.empty());
  EXPECT_TRUE(condition.capture_names().empty());
}

TEST(Condition, IsDataThatCanBeComparedAndPrinted) {
  EXPECT_EQ(compiled(text("tty*")), compiled(text("tty*")));
  EXPECT_FALSE(compiled(text("tty*")) == compiled(text("tt*")));
  EXPECT_FALSE(compiled(is("a")) == compiled(regex("a")));
  EXPECT_EQ(compiled(list({text("a")})), compiled(text("a")));
  EXPECT_EQ(compiled(list({text("6001"), is("a*b")})).to_text(), R"(["6001", {is: "a*b"}])");
  ConditionSpec both = regex("x\n.*");
  both.negated = {exists(false)};
  EXPECT_EQ(compiled(both).to_text(), R"({not: {exists: false}, regex: "x\x0a.*"})");
}

TEST(Condition, CoversSubsystemsForTheEnumeration) {
  EXPECT_EQ(compiled(text("tty")).fnmatch_cover(), Strings{"tty"});
  EXPECT_EQ(compiled(text("infiniband*")).fnmatch_cover(), Strings{"infiniband*"});
  EXPECT_EQ(compiled(list({text("tty"), text("n[e]t")})).fnmatch_cover(),
            (Strings{"tty", "n[e]t"}));
  EXPECT_EQ(compiled(is("a*")).fnmatch_cover(), Strings{R"(a\*)"});
  EXPECT_EQ(compiled(regex("tty|net")).fnmatch_cover(), Strings{"*"});
  EXPECT_EQ(compiled(negated(text("tty"))).fnmatch_cover(), Strings{"*"});
  EXPECT_EQ(compiled(exists(true)).fnmatch_cover(), Strings{"*"});
  ConditionSpec both = is("tty");
  both.regex = {"t.*", {}};
  EXPECT_EQ(compiled(both).fnmatch_cover(), Strings{"tty"});
}

TEST(Condition, RefusesAPatternThatNeedsTooMuchMemory) {
  config::Diagnostics diagnostics;
  EXPECT_FALSE(Condition::compile(regex("((a{100}){100}){100}"), {}, diagnostics));
  EXPECT_FALSE(diagnostics.ok());
}

/// Bounds as in {gt: A, ge: B, lt: C, le: D}; an empty one is not given.
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
    EXPECT_TRUE(between.holds(Values{value})) << value;
  }
  for (const std::string value : {"1", "17", "0x11", "-2", "1.0"}) {
    EXPECT_FALSE(between.holds(Values{value})) << value;
  }
  EXPECT_TRUE(compiled(range("", "-5", "0", "")).holds(Values{"-5"}));
  EXPECT_TRUE(compiled(range("0", "1", "3", "2")).holds(Values{"2"}));
  EXPECT_FALSE(compiled(range("0", "1", "3", "2")).holds(Values{"2.5"}));
}

TEST(ConditionRange, BoundsMayHaveUnits) {
  EXPECT_TRUE(compiled(range("", "2k", "", "2k")).holds(Values{"2000"}));
  EXPECT_TRUE(compiled(range("", "3M", "", "3M")).holds(Values{"3000000"}));
  EXPECT_TRUE(compiled(range("", "1G", "", "1G")).holds(Values{"1000000000"}));
  EXPECT_TRUE(compiled(range("", "1Ki", "", "1Ki")).holds(Values{"1024"}));
  EXPECT_TRUE(compiled(range("", "0x2Mi", "", "0.002Gi")).holds(Values{"2097152"}));
  EXPECT_TRUE(compiled(range("", "1Ti", "", "1Ti")).holds(Values{"1099511627776"}));
  EXPECT_FALSE(compiled(range("", "1", "", "")).holds(Values{"2k"}));  // Values have no units.
}

TEST(ConditionRange, IsExactForWholeNumbersOf64Bits) {
  const Condition most = compiled(range("", "18446744073709551615", "", ""));
  EXPECT_TRUE(most.holds(Values{"0xffffffffffffffff"}));
  EXPECT_FALSE(most.holds(Values{"18446744073709551614"}));
}

TEST(ConditionRange, IsFalseForWhatIsNoNumber) {
  const Condition any = compiled(range("", "-1G", "1G", ""));
  for (const std::string value : {"", "one", "1e3", "inf", "nan", "1 2", "0x", "1.", ".5", "--1",
                                  "0x10000000000000000", "5 MHz"}) {
    EXPECT_FALSE(any.holds(Values{value})) << value;
    EXPECT_EQ(compiled(negated(range("", "-1G", "1G", ""))).holds(Values{value}), !value.empty());
  }
  EXPECT_FALSE(any.holds({}));
  EXPECT_FALSE(compiled(negated(range("", "1", "", ""))).holds({}));
}

TEST(ConditionRange, OfSeveralValuesOneMustKeepAllBounds) {
  const Condition between = compiled(range("2", "", "8", ""));
  EXPECT_FALSE(between.holds(Values{"1", "9"}));
  EXPECT_TRUE(between.holds(Values{"1", "x", "5"}));
  EXPECT_FALSE(compiled(negated(range("2", "", "8", ""))).holds(Values{"1", "5"}));
  EXPECT_TRUE(compiled(list({is("x"), range("2", "", "8", "")})).holds(Values{"5"}));
}

TEST(ConditionRange, CanBePrintedAndCompared) {
  EXPECT_EQ(compiled(range("1", "", "", "0x10")).to_text(), "{gt: 1, le: 0x10}");
  EXPECT_EQ(compiled(range("1", "", "", "2k")), compiled(range("1", "", "", "2k")));
  EXPECT_FALSE(compiled(range("1", "", "", "")) == compiled(range("", "1", "", "")));
}

}  // namespace
}  // namespace patchbay::rules
