// Compares the result of random matches on random facts with a small independent model.
#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/facts.h"
#include "rules/compiled.h"
#include "rules/match/matcher.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

using Texts = std::vector<std::string>;
using Value = std::optional<std::string>;

/// Values of devices and variables, with all characters that are special in a pattern.
const Texts kValues{"a",   "b",    "ab", "a*", "*",    "?", "[a]", ".",
                    "a.b", R"(\)", "|",  "$(", "(?:a", "+", "a b", "]"};
const Texts kLiterals{"", "a", "b"};

/// A condition of the model, from which the test makes both the YAML and the expected result.
struct ModelCondition {
  enum class Kind { text, regex, present, absent, list, negated, mapping };
  Kind kind = Kind::text;
  std::string before;
  bool variable = false;
  std::string after;
  bool open_begin = false;  ///< Any text may precede.
  bool open_end = false;    ///< Any text may follow.
  std::vector<ModelCondition> operands;
};

/// A match or a block in it: conditions on two attributes. One attribute can have several values.
struct Block {
  std::vector<ModelCondition> several;
  std::vector<ModelCondition> single;
  std::vector<Block> any;
  std::vector<Block> except;
  std::vector<Block> above;
};

struct Device {
  Texts several;
  Value single;
  Value variable;
  std::vector<Device> above;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(engine_);
  }
  bool one_in(size_t n) { return below(n) == 0; }
  const std::string& of(const Texts& values) { return values[below(values.size())]; }
  Value maybe() { return one_in(3) ? Value{} : Value{of(kValues)}; }

  ModelCondition condition(int depth) {
    using Kind = ModelCondition::Kind;
    constexpr std::array kLeaves{Kind::text, Kind::text, Kind::regex, Kind::present, Kind::absent};
    constexpr std::array kNested{Kind::list, Kind::negated, Kind::mapping};
    ModelCondition out;
    out.kind =
        depth == 0 || one_in(2) ? kLeaves[below(kLeaves.size())] : kNested[below(kNested.size())];
    const bool open = out.kind == Kind::text || out.kind == Kind::regex;
    out.open_begin = open && one_in(2);
    out.open_end = open && one_in(2);
    out.variable = one_in(2);
    out.before = of(kLiterals);
    out.after = of(kLiterals);
    if (out.before.empty() && out.after.empty() && !out.variable) out.before = "a";
    const size_t operands = out.kind == Kind::list ? 1 + below(3) : 1;
    if (out.kind == Kind::mapping) out.open_begin = out.open_end = false;
    if (depth == 0) return out;
    for (size_t i = 0; i < operands; ++i) out.operands.push_back(condition(depth - 1));
    return out;
  }

  Block block(int depth) {
    Block out;
    if (!one_in(4)) out.several.push_back(condition(2));
    if (one_in(2) || out.several.empty()) out.single.push_back(condition(2));
    if (depth == 0) return out;
    for (size_t i = below(3); i > 0; --i) out.any.push_back(block(depth - 1));
    for (size_t i = below(2); i > 0; --i) out.except.push_back(block(depth - 1));
    if (one_in(3)) out.above.push_back(block(0));
    return out;
  }

  Device device(size_t most_above = 3) {
    Device out;
    for (size_t i = below(most_above + 1); i > 0; --i) out.above.push_back(device(0));
    for (size_t i = below(4); i > 0; --i) out.several.push_back(of(kValues));
    out.single = maybe();
    out.variable = maybe();
    return out;
  }

 private:
  std::mt19937 engine_;
};

// Functions that write a block as YAML.

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string text_of(const ModelCondition& c) {
  return c.before + (c.variable ? "$(attribute.v)" : "") + c.after;
}

std::string written(const ModelCondition& c) {
  using Kind = ModelCondition::Kind;
  switch (c.kind) {
    case Kind::text:
      return quoted((c.open_begin ? "*" : "") + text_of(c) + (c.open_end ? "*" : ""));
    case Kind::regex:
      return "{regex: " +
             quoted((c.open_begin ? ".*" : "") + text_of(c) + (c.open_end ? ".*" : "")) + "}";
    case Kind::present:
      return "{exists: true}";
    case Kind::absent:
      return "{exists: false}";
    case Kind::negated:
      return "{not: " + written(c.operands.front()) + "}";
    case Kind::mapping:
      return "{regex: " + quoted(text_of(c)) + ", not: " + written(c.operands.front()) + "}";
    case Kind::list: {
      std::string out;
      for (const ModelCondition& operand : c.operands)
        out += (out.empty() ? "" : ", ") + written(operand);
      return "[" + out + "]";
    }
  }
  return "";
}

std::string written(const Block& block) {
  std::string keys;
  const auto add = [&](const std::string& name, const std::vector<ModelCondition>& conditions) {
    for (const ModelCondition& c : conditions) {
      keys += (keys.empty() ? "" : ", ") + quoted(name) + ": " + written(c);
    }
  };
  add("p/*/q", block.several);
  add("s", block.single);
  std::string out = "attribute: {" + keys + "}";
  const auto add_blocks = [&](const std::string& key, const std::vector<Block>& blocks) {
    std::string list;
    for (const Block& one : blocks) list += (list.empty() ? "" : ", ") + ("{" + written(one) + "}");
    if (!blocks.empty()) out += ", " + key + ": [" + list + "]";
  };
  add_blocks("any", block.any);
  add_blocks("except", block.except);
  add_blocks("ancestor", block.above);
  return out;
}

// Functions that evaluate a block for a value of the variable.

bool meets(const ModelCondition& c, const std::string& value, const std::string& variable) {
  const std::string text = c.before + (c.variable ? variable : "") + c.after;
  if (c.open_begin && c.open_end) return value.find(text) != std::string::npos;
  if (c.open_begin) return value.ends_with(text);
  return c.open_end ? value.starts_with(text) : value == text;
}

bool means(const ModelCondition& c, const Texts& values, const std::string& variable) {
  using Kind = ModelCondition::Kind;
  const auto operand_matches = [&](const ModelCondition& one) {
    return means(one, values, variable);
  };
  const auto one_meets = [&](const std::string& value) { return meets(c, value, variable); };
  switch (c.kind) {
    case Kind::present:
      return !values.empty();
    case Kind::absent:
      return values.empty();
    case Kind::negated:
      return !values.empty() && !operand_matches(c.operands.front());
    case Kind::list:
      return std::ranges::any_of(c.operands, operand_matches);
    case Kind::mapping:
      return std::ranges::any_of(values, one_meets) && !operand_matches(c.operands.front());
    default:
      return std::ranges::any_of(values, one_meets);
  }
}

bool means(const Block& block, const Device& device, const std::string& variable) {
  const Texts single = device.single ? Texts{*device.single} : Texts{};
  const auto block_matches = [&](const Block& one) { return means(one, device, variable); };
  const auto one_above = [&](const Block& one) {
    return std::ranges::any_of(device.above,
                               [&](const Device& above) { return means(one, above, variable); });
  };
  return std::ranges::all_of(
             block.several,
             [&](const ModelCondition& c) { return means(c, device.several, variable); }) &&
         std::ranges::all_of(block.single,
                             [&](const ModelCondition& c) { return means(c, single, variable); }) &&
         (block.any.empty() || std::ranges::any_of(block.any, block_matches)) &&
         std::ranges::none_of(block.except, block_matches) &&
         std::ranges::all_of(block.above, one_above);
}

DeviceFacts facts_of(const Device& device) {
  DeviceFacts facts;
  facts.key = "/sys/devices/x";
  facts.name = "x";
  facts.subsystem = "tty";
  if (!device.several.empty()) fake::set(facts, Fact::attribute, "p/*/q", device.several);
  if (device.single) fake::set(facts, Fact::attribute, "s", {*device.single});
  if (device.variable) fake::set(facts, Fact::attribute, "v", {*device.variable});
  for (const Device& above : device.above) facts.ancestors.push_back(facts_of(above));
  return facts;
}

/// Each test uses one seed.
class MatchModel : public testing::TestWithParam<unsigned> {};

TEST_P(MatchModel, AgreesWithReferenceModel) {
  Random random(GetParam());
  size_t matched = 0;
  for (int round = 0; round < 40; ++round) {
    const Block block = random.block(2);
    const std::string text = "{subsystem: tty, " + written(block) + "}";
    const Compiled compiled = compile_group("    match: " + text + "\n    id: $(name)\n");
    ASSERT_NE(compiled.plan, nullptr) << text << '\n' << compiled.printed;
    const Matcher& match = compiled.plan->resources.at(0)->groups.at(0).match;
    for (int i = 0; i < 40; ++i) {
      const Device device = random.device();
      const DeviceFacts facts = facts_of(device);
      Captures captures;
      const bool matches = match.matches(facts, captures);
      ASSERT_EQ(match.mismatches(facts).empty(), matches) << text;
      matched += matches ? 1 : 0;
      if (device.variable) {
        ASSERT_EQ(matches, means(block, device, *device.variable))
            << text << "\nvariable " << *device.variable << ", single "
            << device.single.value_or("-") << ", several "
            << testing::PrintToString(device.several);
      } else if (matches) {
        // The device matches without the variable, so it must match with each value.
        for (const std::string& value : kValues) {
          ASSERT_TRUE(means(block, device, value)) << text << "\nvariable " << value;
        }
      }
    }
  }
  EXPECT_GT(matched, 50U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MatchModel, testing::Range(1U, 3U));

}  // namespace
}  // namespace patchbay::rules
