#include "config/yaml_writer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "config/cases.h"
#include "config/keys.h"
#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

using Kind = YamlNode::Kind;
using Random = std::mt19937;

std::optional<YamlNode> tree_of(std::string text) {
  Diagnostics diagnostics;
  auto root =
      parse_yaml(std::make_shared<const Source>(Source{"a.yaml", std::move(text)}), diagnostics);
  EXPECT_EQ(render(diagnostics), "");
  return root;
}

/// The tree without positions, comments and quotes.
std::string content(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case Kind::null:
      return "null";
    case Kind::scalar:
      return "<" + node.text + ">";
    case Kind::sequence:
      for (const YamlNode& item : node.items) out += content(item) + ",";
      return "[" + out + "]";
    case Kind::mapping:
      for (const YamlEntry& entry : node.entries) {
        out += "<" + entry.key.value + ">:" + content(entry.value) + ",";
      }
      return "{" + out + "}";
  }
  return out;
}

std::string written_and_read(const YamlNode& node, const YamlLayout& layout = {}) {
  const std::string text = write_yaml(node, layout);
  SCOPED_TRACE(text);
  const auto root = tree_of(text);
  return root ? content(*root) : "unreadable";
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(YamlWriter, WritesCollectionsThatFitInOneLine) {
  YamlNode match = yaml_mapping(
      {{"subsystem", yaml_text("tty")}, {"usb", yaml_mapping({{"vendor", yaml_text("0403")}})}});
  YamlNode device =
      yaml_mapping({{"hostPath", yaml_text("$(devnode)")}, {"optional", yaml_word("true")}});
  YamlNode step = yaml_mapping({{"usbReset", yaml_word("true")}});
  const YamlNode resource = yaml_mapping({{"name", yaml_text("lab.example.com/uart")},
                                          {"match", std::move(match)},
                                          {"devices", yaml_list({std::move(device)})},
                                          {"mounts", yaml_list({})},
                                          {"release", yaml_list({std::move(step)})},
                                          {"share", yaml_mapping({{"count", yaml_word("4")}})}});
  const YamlNode config = yaml_mapping(
      {{"apiVersion", yaml_text("patchbay/v1")}, {"resources", yaml_list({resource})}});
  EXPECT_EQ(write_yaml(config), R"(apiVersion: patchbay/v1
resources:
  - name: lab.example.com/uart
    match: {subsystem: tty, usb: {vendor: "0403"}}
    devices:
      - {hostPath: $(devnode), optional: true}
    mounts: []
    release:
      - {usbReset: true}
    share: {count: 4}
)");
}

TEST(YamlWriter, WithoutFlowWritesEachEntryOnALine) {
  const YamlNode tree = yaml_mapping(
      {{"a", yaml_mapping({{"b", yaml_list({yaml_text("c"), yaml_list({yaml_text("d")})})}})}});
  EXPECT_EQ(write_yaml(tree, {.flow = false}), "a:\n  b:\n    - c\n    - - d\n");
}

TEST(YamlWriter, BreaksACollectionThatIsTooLong) {
  const YamlNode tree =
      yaml_mapping({{"a", yaml_list({yaml_text("first text"), yaml_text("second text")})}});
  EXPECT_EQ(write_yaml(tree, {.width = 28}), "a: [first text, second text]\n");
  EXPECT_EQ(write_yaml(tree, {.width = 27}), "a:\n  - first text\n  - second text\n");
}

TEST(YamlWriter, WritesCommentsBesideAndAboveValues) {
  YamlNode usb = yaml_mapping({{"vendor", yaml_text("0403")}});
  usb.comment = "all of this model";
  usb.lines_above = {"usb: {serial: A1}", "second line"};
  YamlNode name = yaml_text("uart");
  name.lines_above = {"above the item"};
  const YamlNode match = yaml_mapping({{"subsystem", yaml_text("tty")}, {"usb", usb}});
  const YamlNode tree =
      yaml_mapping({{"resources", yaml_list({yaml_mapping({{"name", name}, {"match", match}})})}});
  EXPECT_EQ(write_yaml(tree), R"(resources:
  # above the item
  - name: uart
    match:
      subsystem: tty
      # usb: {serial: A1}
      # second line
      usb: {vendor: "0403"}                         # all of this model
)");
}

TEST(YamlWriter, WritesALongCommentAboveItsLine) {
  YamlNode value = yaml_text("tty");
  value.comment = "a comment that is too long for this line";
  EXPECT_EQ(write_yaml(yaml_mapping({{"subsystem", value}}), {.width = 60}),
            "# a comment that is too long for this line\nsubsystem: tty\n");
}

/// Tools that read YAML 1.1 would read these texts as numbers, booleans or dates.
TEST(YamlWriter, QuotesTextsThatOtherToolsReadAsOtherTypes) {
  for (const char* text : {"0403", "on", "No", "null", "~", "", "1e3", "0x1f", "12:30:00", "-1",
                           "2026-01-02", ".inf", "1_000", "+3", "0o17", "y"}) {
    EXPECT_EQ(write_yaml(yaml_text(text)), "\"" + std::string(text) + "\"\n");
  }
  for (const char* text : {"tty", "ttyUSB0", "/dev/net/tun", "$(link.by-id)", "cp210x", "x y"}) {
    EXPECT_EQ(write_yaml(yaml_text(text)), std::string(text) + "\n");
  }
}

TEST(YamlWriter, ChoosesQuotesByTheContent) {
  EXPECT_EQ(write_yaml(yaml_text(R"(ttyS(?P<n>\d+))")), "'ttyS(?P<n>\\d+)'\n");
  EXPECT_EQ(write_yaml(yaml_text("*GPU: x*")), "\"*GPU: x*\"\n");
  EXPECT_EQ(write_yaml(yaml_text("it's \"x\"")), R"("it's \"x\"")"
                                                 "\n");
  EXPECT_EQ(write_yaml(yaml_text("two\nlines")), R"("two\nlines")"
                                                 "\n");
  EXPECT_EQ(write_yaml(yaml_mapping({{"*/partition", yaml_word("true")}, {"0", {}}})),
            "\"*/partition\": true\n\"0\":\n");
}

TEST(YamlWriter, WrittenFilesReadAsTheSameTree) {
  std::vector<std::string> texts;
  const std::filesystem::path root(PATCHBAY_SOURCE_DIR);
  for (const char* folder : {"examples/configs", "test/golden/config", "test/rules/golden"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() == ".yaml") texts.push_back(file_text(entry.path()));
    }
  }
  for (const char* file : {"config/cases/refused.cases", "rules/cases/quiet.cases"}) {
    for (const ConfigCase& one : read_cases(root / "test" / file)) texts.push_back(whole_file(one));
  }
  size_t trees = 0;
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    Diagnostics diagnostics;
    const auto tree =
        parse_yaml(std::make_shared<const Source>(Source{"lab.yaml", text}), diagnostics);
    if (!tree || !diagnostics.ok()) continue;
    ++trees;
    EXPECT_EQ(written_and_read(*tree), content(*tree));
    EXPECT_EQ(written_and_read(*tree, {.flow = false}), content(*tree));
    EXPECT_EQ(written_and_read(*tree, {.width = 40}), content(*tree));
  }
  EXPECT_GT(trees, 100U);
}

size_t below(Random& random, size_t limit) {
  return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
}

/// A random text of pieces that have a meaning in YAML or in Patchbay's configuration.
std::string random_text(Random& random) {
  constexpr std::array<std::string_view, 34> kPieces{
      "a",  "0",  " ",  ":",    "#", "- ", "?",  "{",      "}", "[", "]", ",",
      "\"", "'",  "\\", "$(",   ")", "*",  "&",  "!",      "|", ">", "%", "@",
      "`",  "\n", "\t", "null", "é", "…",  "1e", "\u2028", "=", "~"};
  std::string text;
  for (size_t left = below(random, 6); left > 0; --left) {
    text += kPieces[below(random, kPieces.size())];
  }
  return text;
}

YamlNode random_block(Random& random, std::string_view name, int depth);

/// A random value of the key: a block, if there is one of that name, or the example of the
/// reference.
YamlNode random_value(Random& random, const KeyInfo& key, int depth) {
  if (key.type >= ValueType::fields && depth > 0) {
    const bool is_block = std::ranges::any_of(
        language(), [&](const BlockInfo& block) { return block.name == key.name; });
    if (is_block) {
      YamlNode block = random_block(random, key.name, depth - 1);
      if (key.type != ValueType::blocks || below(random, 2) == 0) return block;
      return yaml_list({std::move(block), random_block(random, key.name, depth - 1)});
    }
  }
  if (below(random, 2) == 0) return yaml_text(random_text(random));
  if (key.example.empty()) return yaml_word("example");
  return *tree_of(std::string(key.example));
}

YamlNode random_block(Random& random, std::string_view name, int depth) {
  YamlNode node = yaml_mapping({});
  for (const BlockInfo& block : language()) {
    if (block.name != name) continue;
    for (const KeyInfo& key : block.keys) {
      if (below(random, 3) != 0) continue;
      value_in(node, key.name) = random_value(random, key, depth);
    }
  }
  if (below(random, 4) == 0) {
    value_in(node, "x" + random_text(random)) = yaml_text(random_text(random));
  }
  return node;
}

TEST(YamlWriter, WritesJson) {
  const Json json{{"text", "0403"},
                  {"numbers", {1, -2, 2.5}},
                  {"flags", {{"on", true}, {"off", false}}},
                  {"none", nullptr},
                  {"empty", {{"list", Json::array()}, {"mapping", Json::object()}}},
                  {"a/b.c", "x: y"},
                  {"negative", {"-2", "-2x", "-x", "- 2", "-"}}};
  EXPECT_EQ(write_yaml(yaml_tree(json)),
            "text: \"0403\"\n"
            "numbers: [1, -2, 2.5]\n"
            "flags: {\"on\": true, \"off\": false}\n"
            "none: null\n"
            "empty: {list: [], mapping: {}}\n"
            "a/b.c: \"x: y\"\n"
            "negative: [\"-2\", -2x, \"-x\", \"- 2\", \"-\"]\n");
}

TEST(YamlWriter, RandomConfigurationsReadAsTheSameTree) {
  Random random(20261127);
  for (int round = 0; round < 1'000; ++round) {
    YamlNode config = random_block(random, "config", 4);
    value_in(config, "resources") = yaml_list({random_block(random, "resource", 4)});
    ASSERT_EQ(written_and_read(config, {.width = 20 + below(random, 100)}), content(config))
        << "round " << round;
  }
}

}  // namespace
}  // namespace patchbay::config
