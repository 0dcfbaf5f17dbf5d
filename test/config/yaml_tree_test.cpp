#include "config/yaml_tree.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

using Kind = YamlNode::Kind;

struct Parsed {
  std::optional<YamlNode> root;
  std::string printed;
};

Parsed parse(std::string text) {
  Diagnostics diagnostics;
  auto root =
      parse_yaml(std::make_shared<const Source>(Source{"a.yaml", std::move(text)}), diagnostics);
  return {std::move(root), render(diagnostics)};
}

/// The tree on one line, with the position of each value as line:column.
std::string tree(const YamlNode& node) {
  const std::string at = "@" + std::to_string(node.at.line) + ":" + std::to_string(node.at.column);
  std::string out;
  switch (node.kind) {
    case Kind::null:
      return "null(" + node.text + ")" + at;
    case Kind::scalar:
      return (node.quoted ? "'" + node.text + "'" : node.text) + at;
    case Kind::sequence:
      for (const YamlNode& item : node.items) out += (out.empty() ? "" : ", ") + tree(item);
      return "[" + out + "]" + at;
    case Kind::mapping:
      for (const YamlEntry& entry : node.entries) {
        out += (out.empty() ? "" : ", ") + entry.key.value + "@" +
               std::to_string(entry.key.at.line) + ":" + std::to_string(entry.key.at.column) +
               ": " + tree(entry.value);
      }
      return "{" + out + "}" + at;
  }
  return out;
}

std::string tree(std::string text) {
  const Parsed parsed = parse(std::move(text));
  EXPECT_EQ(parsed.printed, "");
  return parsed.root ? tree(*parsed.root) : "none";
}

std::string repeat(std::string_view chunk, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += chunk;
  return out;
}

TEST(YamlTree, KeepsTextsAndPositions) {
  EXPECT_EQ(tree("a: 0403\nb:\n  - 'x y'\n  - {c: \"d\"}\n"),
            "{a@1:1: 0403@1:4, b@2:1: ['x y'@3:5, {c@4:6: 'd'@4:9}@4:5]@3:3}@1:1");
  EXPECT_EQ(tree("a: |\n  two\n  lines\nb: x\n"), "{a@1:1: 'two\nlines\n'@1:4, b@4:1: x@4:4}@1:1");
}

TEST(YamlTree, CountsColumnsInBytesAndAcceptsBothLineEnds) {
  EXPECT_EQ(tree("é: x\r\nb: {€: y}\r\n"), "{é@1:1: x@1:5, b@2:1: {€@2:5: y@2:10}@2:4}@1:1");
}

TEST(YamlTree, PositionOfMissingValueIsThatOfItsKey) {
  EXPECT_EQ(tree("a:\nb: ~\nc: null\nd: \"\"\ne: 'null'\n"),
            "{a@1:1: null()@1:1, b@2:1: null(~)@2:4, c@3:1: null(null)@3:4, d@4:1: ''@4:4, "
            "e@5:1: 'null'@5:4}@1:1");
  EXPECT_EQ(tree("a:\nnull: x\n"), "{a@1:1: null()@1:1, null@2:1: x@2:7}@1:1");
  EXPECT_EQ(tree("{null: ~, b: null}"), "{null@1:2: null(~)@1:8, b@1:11: null(null)@1:14}@1:1");
  EXPECT_EQ(tree("a:\n  - x\n  -   # none\n\n  - y\n  -\nb: z\n"),
            "{a@1:1: [x@2:5, null()@3:3, y@5:5, null()@6:3]@2:3, b@7:1: z@7:4}@1:1");
}

TEST(YamlTree, CopiesAliasesAtTheirOwnPosition) {
  EXPECT_EQ(tree("a: &x {k: v}\nb: *x\nc: &y t\nd: [*y]\n"),
            "{a@1:1: {k@1:8: v@1:11}@1:4, b@2:1: {k@1:8: v@1:11}@2:4, c@3:1: t@3:4, "
            "d@4:1: [t@4:5]@4:4}@1:1");
  EXPECT_EQ(tree("a: &x 1\nb: &x 2\nc: *x\n"), "{a@1:1: 1@1:4, b@2:1: 2@2:4, c@3:1: 2@3:4}@1:1");
}

TEST(YamlTree, KeepsFirstOfDuplicateKeys) {
  const Parsed parsed = parse("a: 1\na: 2\nb: 3\n");
  ASSERT_TRUE(parsed.root);
  EXPECT_EQ(tree(*parsed.root), "{a@1:1: 1@1:4, b@3:1: 3@3:4}@1:1");
  EXPECT_NE(parsed.printed, "");
}

TEST(YamlTree, AcceptsMaximumDepth) {
  const std::string deepest = repeat("[", kMaxDepth) + repeat("]", kMaxDepth);
  EXPECT_EQ(parse(deepest).printed, "");
  EXPECT_TRUE(
      parse("[" + deepest + "]")
          .printed.starts_with("a.yaml:1:33: error: more than 32 levels of lists and mappings\n"));
}

TEST(YamlTree, AcceptsMaximumNumberOfValues) {
  const std::string most = repeat("- x\n", kMaxNodes - 1);  // The list itself counts, too.
  EXPECT_EQ(parse(most).printed, "");
  EXPECT_EQ(parse(most + "- x\n").printed,
            "a.yaml:10000:3: error: more than 10000 values in one file\n    - x\n      ^\n"
            "  hint: split it into several files of one directory\n");
  EXPECT_EQ(parse("- &a [" + repeat("x, ", 4'999) + "x]\n- *a\n").printed.substr(0, 69),
            "a.yaml:2:3: error: more than 10000 values after aliases are followed\n");
}

TEST(YamlTree, RejectsTextMultipliedByAliases) {
  const std::string text = "- &a " + repeat("x", 300'000) + "\n" + repeat("- *a\n", 4);
  EXPECT_TRUE(parse(text).printed.starts_with(
      "a.yaml:5:3: error: more than 1 MiB of text after aliases are followed\n"));
}

TEST(YamlTree, RejectsTooLargeFile) {
  const std::string largest = "- " + repeat("x", kMaxFileBytes - 2);
  EXPECT_EQ(parse(largest).printed, "");
  const std::string printed = parse(largest + "x").printed;
  EXPECT_TRUE(printed.starts_with("a.yaml:1:1: error: the file is larger than 1 MiB\n")) << printed;
  EXPECT_TRUE(printed.ends_with("  hint: split it into several files of one directory\n"));
}

/// Each of these texts makes some YAML parser crash, become slow, or use much memory. The timeout
/// of the test detects a slow parser.
TEST(YamlTree, ParsesHostileFilesInBoundedTime) {
  for (const std::string_view chunk :
       {"[",      "{",    "- ",    "a: ",   "? ",   "[a, ", "&a ",     "!a ",
        "{a: ",   "[a: ", "a:\n",  "-\n",   "\"a ", "'a ",  "*a ",     "- &a\n",
        "- *a\n", "#\n",  "---\n", "...\n", "%A\n", "|\n",  "\"a\": ", "a, "}) {
    const Parsed parsed = parse(repeat(chunk, kMaxFileBytes / chunk.size()));
    EXPECT_NE(parsed.printed, "") << chunk;
  }
}

/// The library yaml-cpp accepts all of these texts without an error.
TEST(YamlTree, RejectsUnsupportedYaml) {
  for (const std::string text : {"a: \"x\n",
                                 "a: 'x",
                                 "a: 'it''s\n",
                                 "a: \"\\\"\n",
                                 "a: ! x\n",
                                 "a: &b ! x\n",
                                 "a: !\n",
                                 "a: &x # why\n  !t y\n",
                                 "? [a]\n: b\n",
                                 ": a\n",
                                 "a: 1\na: 2\n",
                                 "a: b\nc\n",
                                 "- a\nb: c\n",
                                 "[a] b\n",
                                 "%FOO x\na: b\n",
                                 "a: \"\\0\"\n",
                                 "a: \"\\x00\"\n",
                                 "{a: 1,, b: 2}\n",
                                 "a: 1\n...\nb: 2\n",
                                 "<<: {a: b}\n",
                                 "{<<: {a: b}}\n",
                                 "&a <<: {a: b}\n"}) {
    EXPECT_NE(parse(text).printed, "") << text;
  }
}

/// These texts are similar to unsupported ones, but valid.
TEST(YamlTree, AcceptsUnusualButValidYaml) {
  for (const std::string text :
       {"a: 'it''s'\n", "a: \"\\\"\"\n", "a: \"\\\\\"\n", "a: \"!x\"\n", "a: x!y\n", "a: x # !y\n",
        "a: &b # why\n  \"c\"\n", "\"<<\": a\n", "a: \"two\n  lines\"\n", "a: >-\n  'x\n",
        "# ---\n---\na: b\n...\n# end\n", "a: 100% \n", "\"a\" : b\n", "a: '---'\n", "a: b#c\n"}) {
    EXPECT_EQ(parse(text).printed, "") << text;
  }
}

}  // namespace
}  // namespace patchbay::config
