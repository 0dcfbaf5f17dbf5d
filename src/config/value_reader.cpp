#include "config/value_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/duration.h"
#include "base/text.h"
#include "config/foreign_words.h"

namespace patchbay::config {
namespace {

struct BoolWord {
  std::string_view word;
  bool value;
};
constexpr std::array kBoolWords = {BoolWord{"true", true},   BoolWord{"True", true},
                                   BoolWord{"TRUE", true},   BoolWord{"false", false},
                                   BoolWord{"False", false}, BoolWord{"FALSE", false}};

constexpr Milliseconds kMaxDuration = std::chrono::hours{24 * 365};
constexpr std::string_view kDurationHint = "write a duration such as 100ms, 2s, 5m or 1h30m";

constexpr std::string_view kQuoteBrackets = "a text that begins with '[' or '{' needs quotes";

const KeyInfo* find_key(std::string_view name) {
  for (const BlockInfo& block : language()) {
    const auto found = std::ranges::find(block.keys, name, &KeyInfo::name);
    if (found != block.keys.end()) return &*found;
  }
  return nullptr;
}

/// The text of a scalar. Reports other values.
const std::string* scalar_text(const YamlNode& node, const KeyInfo& info,
                               Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::scalar) return &node.text;
  report_type(node, "text", info.name, diagnostics,
              info.about.empty() ? std::string(kQuoteBrackets)  // The key is a name of the user.
                                 : fmt::format("such as {}: {}", info.name, info.example));
  return nullptr;
}

}  // namespace

bool read_value(const YamlNode& node, const KeyInfo& info, Located<std::string>& out,
                Diagnostics& diagnostics) {
  const std::string* text = scalar_text(node, info, diagnostics);
  if (text == nullptr) return false;
  if (!info.words.empty() && std::ranges::find(info.words, *text) == info.words.end()) {
    return report_word(node, info.name, info.words, diagnostics);
  }
  if (info.type == ValueType::file_mode && !node.quoted && text->starts_with('0') &&
      text->find_first_not_of("01234567") == std::string::npos) {
    diagnostics.error(node.at, fmt::format("'{}' is a number without quotes", info.name),
                      fmt::format("other programs read it as octal: write \"{}\"", *text));
    return false;
  }
  out = {*text, node.at};
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::string& out,
                Diagnostics& diagnostics) {
  Located<std::string> text;
  if (!read_value(node, info, text, diagnostics)) return false;
  out = std::move(text.value);
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, Located<bool>& out,
                Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::scalar) {
    return report_type(node, "true or false", info.name, diagnostics, "write true or false");
  }
  const auto* found = std::ranges::find(kBoolWords, node.text, &BoolWord::word);
  if (found == kBoolWords.end() || node.quoted) {
    diagnostics.error(
        node.at,
        fmt::format("expected true or false for '{}', got {}'{}'", info.name,
                    node.quoted ? "the quoted text " : "", printable(node.text, kMaxShown)),
        node.quoted ? "write it without quotes" : "write true or false");
    return false;
  }
  out = {found->value, node.at};
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, bool& out, Diagnostics& diagnostics) {
  Located<bool> value;
  if (!read_value(node, info, value, diagnostics)) return false;
  out = value.value;
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, Located<Milliseconds>& out,
                Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::scalar) {
    return report_type(node, "a duration", info.name, diagnostics, std::string(kDurationHint));
  }
  const auto duration = parse_duration(node.text);
  if (!duration) {
    const bool number = node.text.find_first_not_of("0123456789.") == std::string::npos;
    diagnostics.error(node.at,
                      fmt::format("{} duration '{}' for '{}'", number ? "no unit in the" : "bad",
                                  printable(node.text, kMaxShown), info.name),
                      std::string(kDurationHint));
    return false;
  }
  if (*duration > kMaxDuration) {
    diagnostics.error(node.at, fmt::format("'{}' is longer than a year", info.name),
                      std::string(kDurationHint));
    return false;
  }
  out = {*duration, node.at};
  return true;
}

bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<Located<std::string>>& out,
                Diagnostics& diagnostics) {
  if (info.type == ValueType::arguments && node.kind != YamlNode::Kind::sequence) {
    return report_type(node, "a list", info.name, diagnostics,
                       "no shell splits it: write [/path/of/program, argument, …]");
  }
  const ValueNodes values = info.type == ValueType::arguments
                                ? filled_list(node, info, diagnostics)
                                : one_or_list(node, info, diagnostics);
  return read_items(values, out, [&](const YamlNode& item, Located<std::string>& text) {
    return read_value(item, info, text, diagnostics);
  });
}

bool report_word(const YamlNode& node, std::string_view name,
                 std::span<const std::string_view> words, Diagnostics& diagnostics) {
  const auto near = nearest_word(node.text, words);
  const std::string known =
      fmt::format("known: {}", join(std::vector<std::string>(words.begin(), words.end()), ", "));
  diagnostics.error(
      node.at,
      fmt::format("unknown {} '{}'", printable(name, kMaxShown), printable(node.text, kMaxShown)),
      near ? fmt::format("did you mean '{}'? {}", *near, known) : known);
  return false;
}

bool report_type(const YamlNode& node, std::string_view expected, std::string_view name,
                 Diagnostics& diagnostics, std::string hint) {
  if (hint.empty()) {
    const std::string example = example_of(name);
    hint = example.empty() ? std::string(kQuoteBrackets) : fmt::format("such as {}", example);
  }
  diagnostics.error(node.at,
                    fmt::format("expected {} for '{}', got {}", expected,
                                printable(name, kMaxShown), kind_name(node.kind)),
                    std::move(hint));
  return false;
}

std::string example_of(std::string_view block) {
  const auto blocks = language();
  const auto found = std::ranges::find(blocks, block, &BlockInfo::name);
  const KeyInfo* const key = find_key(block);
  const bool mapping = key != nullptr && key->example.starts_with('{');
  if (found == blocks.end() || mapping) return key == nullptr ? "" : std::string(key->example);
  std::vector<std::string> fields;
  for (const KeyInfo& info : found->keys) {
    if (info.required) fields.push_back(fmt::format("{}: {}", info.name, info.example));
  }
  if (fields.empty()) {
    fields.push_back(fmt::format("{}: {}", found->keys[0].name, found->keys[0].example));
  }
  return fmt::format("{{{}}}", join(fields, ", "));
}

bool report_no_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  return report_type(node, "a mapping", info.name, diagnostics,
                     fmt::format("such as {}", info.example));
}

bool report_empty(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  const bool null = node.kind == YamlNode::Kind::null;
  const bool empty_text = node.kind == YamlNode::Kind::scalar && node.text.empty();
  if (!null && (!empty_text || info.may_be_empty)) return false;
  const std::string name = printable(info.name, kMaxShown);
  if (null && !node.text.empty()) {
    diagnostics.error(
        node.at, fmt::format("'{}' is not a value for '{}'", node.text, name),
        fmt::format("for this text write \"{}\"; otherwise remove the key", node.text));
  } else if (info.may_be_empty) {
    diagnostics.error(node.at, fmt::format("empty value for '{}'", name),
                      "for an empty text write \"\"");
  } else if (empty_text &&
             (info.type == ValueType::condition || info.type == ValueType::named_conditions)) {
    diagnostics.error(node.at, fmt::format("empty value for '{}'", name),
                      "for an absent value write {exists: false}");
  } else {
    diagnostics.error(node.at, fmt::format("empty value for '{}'", name),
                      "give it a value, or leave it out");
  }
  return true;
}

bool report_empty_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  if (!node.entries.empty()) return false;
  diagnostics.error(node.at, fmt::format("empty mapping for '{}'", info.name),
                    fmt::format("such as {}: {}", info.name, info.example));
  return true;
}

bool report_empty_name(const YamlEntry& entry, const KeyInfo& info, Diagnostics& diagnostics) {
  if (!entry.key.value.empty()) return false;
  diagnostics.error(entry.key.at,
                    fmt::format("empty name in '{}'", printable(info.name, kMaxShown)),
                    fmt::format("such as {}", info.example));
  return true;
}

ValueNodes one_or_list(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::sequence) return filled_list(node, info, diagnostics);
  return {.nodes = {&node}};
}

ValueNodes block_items(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  const bool is_list = info.name == "any" || info.name == "all";
  return is_list ? filled_list(node, info, diagnostics) : one_or_list(node, info, diagnostics);
}

ValueNodes list_items(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::sequence) {
    // A text can be an item only if not all items are blocks.
    const bool needs_blocks = node.kind == YamlNode::Kind::scalar && info.example.starts_with("[{");
    return {.nodes = {},
            .ok = report_type(node, "a list", info.name, diagnostics,
                              needs_blocks ? fmt::format("such as {}: {}", info.name, info.example)
                                           : "put '- ' before each item")};
  }
  ValueNodes values;
  for (const YamlNode& item : node.items) {
    if (report_empty(item, info, diagnostics)) {
      values.ok = false;
    } else {
      values.nodes.push_back(&item);
    }
  }
  return values;
}

ValueNodes filled_list(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::sequence || !node.items.empty()) {
    return list_items(node, info, diagnostics);
  }
  const bool own = info.about.empty();  // The key is a name of the user.
  diagnostics.error(node.at, fmt::format("empty list for '{}'", printable(info.name, kMaxShown)),
                    own ? "give it a value, or leave it out"
                        : fmt::format("such as {}: {}", info.name, info.example));
  return {.nodes = {}, .ok = false};
}

}  // namespace patchbay::config
