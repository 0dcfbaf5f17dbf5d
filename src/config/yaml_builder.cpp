#include "config/yaml_builder.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "config/spec_reader.h"
#include "config/yaml_text.h"

namespace patchbay::config {
namespace {

/// The size of a tree. Keys are not counted as values.
struct Size {
  int nodes = 0;
  size_t bytes = 0;
};

void add_size(const YamlNode& node, Size& size) {
  ++size.nodes;
  size.bytes += node.text.size();
  for (const YamlNode& item : node.items) add_size(item, size);
  for (const YamlEntry& entry : node.entries) {
    size.bytes += entry.key.value.size();
    add_size(entry.value, size);
  }
}

int height(const YamlNode& node) {
  int below = 0;
  for (const YamlNode& item : node.items) below = std::max(below, height(item));
  for (const YamlEntry& entry : node.entries) below = std::max(below, height(entry.value));
  const bool nests = node.kind == YamlNode::Kind::sequence || node.kind == YamlNode::Kind::mapping;
  return nests ? below + 1 : below;
}

/// An empty node of one kind.
YamlNode node_of(YamlNode::Kind kind, const Location& location) {
  YamlNode node;
  node.kind = kind;
  node.at = location.at;
  return node;
}

}  // namespace

std::string_view kind_name(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null:
      return "no value";
    case YamlNode::Kind::scalar:
      return "text";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::mapping:
      return "a mapping";
  }
  return {};
}

bool YamlBuilder::null(const Location& location, Anchor anchor) {
  if (!expects_key() && !count_value(location.at)) return false;
  check_tag(location);
  if (lacks_colon(location)) {
    report_lacking_colon();
  } else {
    add(make_null(location), location.offset, anchor);
  }
  return true;
}

bool YamlBuilder::scalar(const Location& location, Anchor anchor, bool plain,
                         const std::string& text) {
  if (!expects_key() && !count_value(location.at)) return false;
  check_tag(location);
  if (!plain && !check_quote(location)) return false;
  if (text.contains('\0')) {
    diagnostics_->error(location.at, "the text contains a NUL character",
                        R"(remove the escape \0)");
  }
  YamlNode node = node_of(YamlNode::Kind::scalar, location);
  node.text = text;
  node.quoted = !plain;
  add(std::move(node), location.offset, anchor);
  return true;
}

bool YamlBuilder::alias(const Location& location, Anchor anchor) {
  if (open_anchors_.contains(anchor)) {
    diagnostics_->error(location.at, "an alias is inside the value that it names",
                        "the value would contain itself; write it out");
    return false;
  }
  const YamlNode& target = anchors_[anchor];
  if (!count_aliased(location.at, target)) return false;
  if (!check_depth(location.at, static_cast<int>(open_nodes_.size()) + height(target)))
    return false;
  YamlNode copy = target;
  copy.at = location.at;
  add(std::move(copy), location.offset, 0);
  return true;
}

bool YamlBuilder::open(const Location& location, Anchor anchor, YamlNode::Kind kind,
                       CollectionStyle style) {
  if (!expects_key() && !count_value(location.at)) return false;
  if (!check_depth(location.at, static_cast<int>(open_nodes_.size()) + 1)) return false;
  check_tag(location);
  if (anchor != 0) open_anchors_.insert(anchor);
  OpenNode open_node{.offset = location.offset, .anchor = anchor, .style = style};
  open_node.node.kind = kind;
  open_node.node.at = location.at;
  open_nodes_.push_back(std::move(open_node));
  return true;
}

void YamlBuilder::close() {
  OpenNode open_node = std::move(open_nodes_.back());
  open_nodes_.pop_back();
  open_anchors_.erase(open_node.anchor);
  add(std::move(open_node.node), open_node.offset, open_node.anchor);
}

std::optional<Position> YamlBuilder::open_bracket(YamlNode::Kind kind) const {
  const std::string_view text = source_->text;
  const char bracket = kind == YamlNode::Kind::sequence ? '[' : '{';
  for (const auto& open_node : std::views::reverse(open_nodes_)) {
    const size_t start = properties_at(text, open_node.offset).value;
    if (start < text.size() && text[start] == bracket) return open_node.node.at;
  }
  return std::nullopt;
}

bool YamlBuilder::expects_key() const {
  return !open_nodes_.empty() && open_nodes_.back().node.kind == YamlNode::Kind::mapping &&
         !open_nodes_.back().key;
}

bool YamlBuilder::count_value(const Position& at) {
  if (++nodes_ <= kMaxNodes) return true;
  diagnostics_->error(at, fmt::format("more than {} values in one file", kMaxNodes),
                      "split it into several files of one directory");
  return false;
}

bool YamlBuilder::count_aliased(const Position& at, const YamlNode& target) {
  Size size;
  add_size(target, size);
  nodes_ += size.nodes;
  aliased_bytes_ += size.bytes;
  if (nodes_ <= kMaxNodes && aliased_bytes_ <= kMaxFileBytes) return true;
  const bool many = nodes_ > kMaxNodes;
  diagnostics_->error(at,
                      many
                          ? fmt::format("more than {} values after aliases are followed", kMaxNodes)
                          : "more than 1 MiB of text after aliases are followed",
                      fmt::format("this alias alone expands to {} values, {} bytes of text",
                                  size.nodes, size.bytes));
  return false;
}

bool YamlBuilder::check_depth(const Position& at, int depth) const {
  if (depth <= kMaxDepth) return true;
  diagnostics_->error(at, fmt::format("more than {} levels of lists and mappings", kMaxDepth),
                      "check that each bracket is closed in the right place");
  return false;
}

void YamlBuilder::check_tag(const Location& location) const {
  const NodeProperties properties = properties_at(source_->text, location.offset);
  if (properties.tag.empty()) return;
  diagnostics_->error(
      location.at,
      fmt::format("the YAML tag '{}' is not allowed", printable(properties.tag, kMaxShown)),
      "remove it: every value is taken as written; a text that begins with '!' needs quotes");
}

/// At a missing quote the parser treats the end of the file as the closing quote.
bool YamlBuilder::check_quote(const Location& location) {
  const std::string_view text = source_->text;
  const size_t start = properties_at(text, location.offset).value;
  if (start >= text.size() || (text[start] != '"' && text[start] != '\'')) return true;
  const size_t end = closing_quote(text, start);
  if (end == std::string_view::npos) {
    diagnostics_->error(location.at, fmt::format("the closing quote ({}) is missing", text[start]),
                        std::string(kClosingQuote));
    return false;
  }
  if (text.substr(start, end - start).contains('\n')) last_long_quote_ = location.at;
  return true;
}

/// The parser reads a line without a colon as a key without a value, positioned at the key.
bool YamlBuilder::lacks_colon(const Location& location) const {
  if (open_nodes_.empty()) return false;
  const OpenNode& open_node = open_nodes_.back();
  return open_node.key && open_node.style == CollectionStyle::block &&
         open_node.key_offset == location.offset;
}

void YamlBuilder::report_lacking_colon() {
  const YamlNode key = *std::exchange(open_nodes_.back().key, std::nullopt);
  diagnostics_->error(
      key.at, fmt::format("expected 'key: value', got '{}'", printable(key.text, kMaxShown)),
      key.text.starts_with('-') ? "a list item needs a space after the '-'"
                                : "a ':' and a space must follow a key");
}

/// The parser positions an absent value at the next token.
YamlNode YamlBuilder::make_null(const Location& location) const {
  const std::string_view text = source_->text;
  YamlNode node = node_of(YamlNode::Kind::null, location);
  const NodeProperties properties = properties_at(text, location.offset);
  node.text = null_word_at(text, properties.value, expects_key());
  if (node.text.empty() && !properties.tag.empty()) {  // Reported; it was meant as the text.
    node.kind = YamlNode::Kind::scalar;
    node.text = properties.tag;
  }
  if (!node.text.empty() || open_nodes_.empty()) return node;
  const OpenNode& open_node = open_nodes_.back();
  if (open_node.key) {
    node.at = open_node.key->at;
  } else if (open_node.node.kind == YamlNode::Kind::sequence &&
             open_node.style == CollectionStyle::block) {
    node.at = position_before(location, empty_item_before(text, location.offset));
  }
  return node;
}

void YamlBuilder::add(YamlNode node, size_t offset, Anchor anchor) {
  if (anchor != 0) anchors_[anchor] = node;
  if (open_nodes_.empty()) {
    root_ = std::move(node);
    return;
  }
  OpenNode& open_node = open_nodes_.back();
  if (open_node.node.kind == YamlNode::Kind::sequence) {
    open_node.node.items.push_back(std::move(node));
  } else if (!open_node.key) {
    open_node.key = std::move(node);
    open_node.key_offset = offset;
  } else {
    add_entry(open_node, std::move(node));
  }
}

void YamlBuilder::add_entry(OpenNode& open_node, YamlNode value) {
  const YamlNode key = *std::exchange(open_node.key, std::nullopt);
  const bool null_word = key.kind == YamlNode::Kind::null && !key.text.empty();
  if (key.kind != YamlNode::Kind::scalar && !null_word) {
    const bool left_out = key.kind == YamlNode::Kind::null;
    diagnostics_->error(key.at,
                        left_out ? "a key is missing before this ':'"
                                 : fmt::format("a key must be text, not {}", kind_name(key.kind)),
                        left_out
                            ? "write the key before it; a text that begins with ':' needs quotes"
                            : "to begin a text with '[' or '{', put it in quotes");
    return;
  }
  const std::string shown = printable(key.text, kMaxShown);
  if (key.text == "<<" && !key.quoted) {
    diagnostics_->error(key.at, "'<<' (merge) is not allowed",
                        "write the keys out; an alias can replace a whole value");
    return;
  }
  const auto first = std::ranges::find(
      open_node.node.entries, key.text,
      [](const YamlEntry& entry) -> const std::string& { return entry.key.value; });
  if (first != open_node.node.entries.end()) {
    diagnostics_->error(key.at, fmt::format("duplicate key '{}'", shown),
                        fmt::format("it is first written in line {}", first->key.at.line));
    return;
  }
  open_node.node.entries.push_back({{key.text, key.at}, std::move(value)});
}

}  // namespace patchbay::config
