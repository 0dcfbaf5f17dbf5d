#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys.h"
#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

using testing::ElementsAre;

TEST(Language, DescribesEachKeyInOneLine) {
  std::set<std::string_view> blocks;
  for (const BlockInfo& block : language()) {
    EXPECT_TRUE(blocks.insert(block.name).second) << block.name;
    std::set<std::string_view> keys;
    for (const KeyInfo& key : block.keys) {
      EXPECT_TRUE(keys.insert(key.name).second) << block.name << ' ' << key.name;
      EXPECT_TRUE(key.about.ends_with('.')) << block.name << ' ' << key.name;
      EXPECT_EQ(key.about.find('\n'), std::string_view::npos);
      EXPECT_NE(key.example, "") << block.name << ' ' << key.name;
      EXPECT_EQ(key.example.find('\n'), std::string_view::npos);
    }
  }
  EXPECT_THAT(blocks, ElementsAre("all", "ancestor", "any", "condition", "config", "defaults",
                                  "device", "dra", "dra.attribute", "env", "except", "group",
                                  "health", "match", "member", "mount", "open", "pci", "resource",
                                  "resource.dra", "share", "step", "usb", "wait", "when", "write"));
}

/// good_full.yaml must have each key, because a key without a test could be read wrongly.
TEST(Language, FullExampleHasEachKey) {
  std::ifstream in(std::string(PATCHBAY_SOURCE_DIR) + "/test/golden/config/good_full.yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const BlockInfo& block : language()) {
    for (const KeyInfo& key : block.keys) {
      EXPECT_NE(text.find(std::string(key.name) + ":"), std::string::npos) << key.name;
    }
  }
}

/// A file in which this block has this text.
std::string file_with(std::string_view block, const std::string& text) {
  constexpr std::string_view kFile = "{{apiVersion: patchbay/v1, kind: Config, {}}}";
  constexpr std::string_view kResource = "resources: [{{name: a.example.com/b, {}}}]";
  const auto resource = [&](std::string_view inner) {
    return fmt::format(kFile, fmt::format(kResource, fmt::format(fmt::runtime(inner), text)));
  };
  if (block == "config") return text;
  if (block == "defaults") {
    const std::string other = fmt::format(kResource, "match: {subsystem: tty}");
    return fmt::format(kFile, fmt::format("defaults: {}, {}", text, other));
  }
  if (block == "dra") {
    const std::string other = fmt::format(kResource, "match: {subsystem: tty}");
    return fmt::format(kFile, fmt::format("dra: {}, {}", text, other));
  }
  if (block == "resource") return fmt::format(kFile, fmt::format("resources: [{}]", text));
  static const std::map<std::string_view, std::string_view> inner_of = {
      {"group", "groups: [{}]"},
      {"device", "match: {{subsystem: tty}}, devices: [{}]"},
      {"mount", "match: {{subsystem: tty}}, mounts: [{}]"},
      {"env", "match: {{subsystem: tty}}, envs: {{A: {}}}"},
      {"member", "match: {{subsystem: tty}}, members: {{a: {}}}"},
      {"share", "match: {{subsystem: tty}}, share: {}"},
      {"resource.dra", "match: {{subsystem: tty}}, dra: {}"},
      {"dra.attribute", "match: {{subsystem: tty}}, dra: {{attributes: {{a: {}}}}}"},
      {"health", "match: {{subsystem: tty}}, health: [{}]"},
      {"open", "match: {{subsystem: tty}}, health: [{{open: {}}}]"},
      {"step", "match: {{subsystem: tty}}, preStart: [{}]"},
      {"write", "match: {{subsystem: tty}}, preStart: [{{write: {}}}]"},
      {"wait", "match: {{subsystem: tty}}, preStart: [{{wait: {}}}]"},
      {"match", "match: {}"},
      {"any", "match: {{any: [{}]}}"},
      {"all", "match: {{all: [{}]}}"},
      {"except", "match: {{except: {}}}"},
      {"ancestor", "match: {{ancestor: {}}}"},
      {"usb", "match: {{usb: {}}}"},
      {"pci", "match: {{pci: {}}}"},
      {"condition", "match: {{name: {}}}"},
      {"when", "when: {}, match: {{subsystem: tty}}"}};
  return resource(inner_of.at(block));
}

/// A block with this key, and with all keys that must accompany it.
std::string block_of(const BlockInfo& block, const KeyInfo& key, std::string_view value) {
  static const std::map<std::string_view, std::string_view> needed_beside = {
      {"total", "each"}, {"each", "total"}, {"perContainer", "count"}};
  std::string text = fmt::format("{{{}: {}", key.name, value);
  const auto together = needed_beside.find(key.name);
  for (const KeyInfo& other : block.keys) {
    const bool needed =
        other.required || (together != needed_beside.end() && other.name == together->second);
    if (needed && other.name != key.name) {
      text += fmt::format(", {}: {}", other.name, other.example);
    }
  }
  static const std::set<std::string_view> options = {"period", "timeout", "failureThreshold",
                                                     "successThreshold"};
  if (block.name == "health" && options.contains(key.name)) text += ", open: /dev/a";
  if (block.name == "resource" && key.name != "groups") text += ", match: {subsystem: tty}";
  return text + "}";
}

std::string mistakes(std::string text) {
  Diagnostics diagnostics;
  static_cast<void>(
      read_spec(std::make_shared<const Source>(Source{"a.yaml", std::move(text)}), diagnostics));
  return render(diagnostics);
}

TEST(Language, ReadersAcceptExamplesAndDefaults) {
  for (const BlockInfo& block : language()) {
    for (const KeyInfo& key : block.keys) {
      EXPECT_EQ(mistakes(file_with(block.name, block_of(block, key, key.example))), "");
      if (key.default_value.empty()) continue;
      EXPECT_NE(key.default_value, key.example)
          << block.name << ' ' << key.name << ": shows nothing";
      EXPECT_EQ(mistakes(file_with(block.name, block_of(block, key, key.default_value))), "");
    }
  }
}

TEST(Language, KnowsTypesAndRequiredKeys) {
  const auto find = [](std::string_view block, std::string_view key) {
    const auto in = std::ranges::find(language(), block, &BlockInfo::name);
    return *std::ranges::find(in->keys, key, &KeyInfo::name);
  };
  EXPECT_TRUE(find("config", "apiVersion").required);
  EXPECT_FALSE(find("config", "defaults").required);
  EXPECT_EQ(find("resource", "linger").type, ValueType::duration);
  EXPECT_EQ(find("resource", "groups").type, ValueType::groups);
  EXPECT_EQ(find("group", "match").type, ValueType::match);
  EXPECT_EQ(find("match", "glob").type, ValueType::patterns);
  EXPECT_EQ(find("match", "property").type, ValueType::named_conditions);
  EXPECT_EQ(find("match", "file").type, ValueType::named_conditions);
  EXPECT_EQ(find("resource", "claim").type, ValueType::word);
  EXPECT_THAT(find("resource", "claim").words, ElementsAre("exclusive", "shared"));
  EXPECT_EQ(find("resource", "prefer").type, ValueType::words);
  EXPECT_THAT(find("resource", "prefer").words, ElementsAre("packed", "spread", "numa", "closest"));
  EXPECT_EQ(find("health", "open").type, ValueType::open);
  EXPECT_EQ(find("health", "exec").type, ValueType::arguments);
  EXPECT_EQ(find("health", "attribute").type, ValueType::named_conditions);
  EXPECT_EQ(find("group", "cdi").type, ValueType::cdi);
  EXPECT_TRUE(find("dra", "driver").required);
  EXPECT_EQ(find("dra", "releaseTimeout").type, ValueType::duration);
  EXPECT_EQ(find("group", "preStart").type, ValueType::steps);
  EXPECT_EQ(find("group", "release").type, ValueType::steps);
  EXPECT_FALSE(find("config", "dra").required);
  EXPECT_THAT(find("resource", "serve").words, ElementsAre("devicePlugin", "dra"));
  EXPECT_EQ(find("resource.dra", "attributes").type, ValueType::attributes);
  EXPECT_EQ(find("health", "period").default_value, "10s");
  EXPECT_EQ(find("group", "size").type, ValueType::size);
  EXPECT_EQ(find("member", "size").type, ValueType::size);
  EXPECT_EQ(find("when", "except").type, ValueType::node_conditions);
  EXPECT_TRUE(find("member", "match").required);
  EXPECT_EQ(find("condition", "not").type, ValueType::condition);
  EXPECT_FALSE(find("condition", "regex").may_be_empty);
}

}  // namespace
}  // namespace patchbay::config
