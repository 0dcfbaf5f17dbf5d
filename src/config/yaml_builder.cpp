#include "config/yaml_builder.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "config/spec_reader.h"
#include "config/syntax_cause.h"
#include "config/yaml_text.h"

namespace patchbay::config {
namespace {

/// What a tree holds. Keys do not count as values.
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
YamlNode node_of(YamlNode::Kind kind, const Place& place) {
  YamlNode node;
  node.kind = kind;
  node.at = place.at;
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

bool YamlBuilder::null(const Place& place, Anchor anchor) {
  if (!expects_key() && !count_value(place.at)) return false;
  check_tag(place);
  if (lacks_colon(place)) {
    report_lacking_colon();
  } else {
    add(make_null(place), place.offset, anchor);
  }
  return true;
}

bool YamlBuilder::scalar(const Place& place, Anchor anchor, bool plain, const std::string& text) {
  if (!expects_key() && !count_value(place.at)) return false;
  check_tag(place);
  if (!plain && !check_quote(place)) return false;
  if (plain) check_plain(place, text);
  if (text.contains('\0')) {
    diagnostics_->error(place.at, "the text holds a NUL character", R"(remove the escape \0)");
  }
  YamlNode node = node_of(YamlNode::Kind::scalar, place);
  node.text = text;
  node.quoted = !plain;
  add(std::move(node), place.offset, anchor);
  return true;
}

bool YamlBuilder::alias(const Place& place, Anchor anchor) {
  if (open_anchors_.contains(anchor)) {
    diagnostics_->error(place.at, "an alias inside the very value that it names",
                        "the value would hold itself without end; write it out");
    return false;
  }
  const YamlNode& target = anchors_[anchor];
  if (!count_aliased(place.at, target)) return false;
  if (!check_depth(place.at, static_cast<int>(frames_.size()) + height(target))) return false;
  YamlNode copy = target;
  copy.at = place.at;
  add(std::move(copy), place.offset, 0);
  return true;
}

bool YamlBuilder::open(const Place& place, Anchor anchor, YamlNode::Kind kind, Style style) {
  if (!expects_key() && !count_value(place.at)) return false;
  if (!check_depth(place.at, static_cast<int>(frames_.size()) + 1)) return false;
  if (is_template_action(place, kind)) return false;
  check_tag(place);
  if (anchor != 0) open_anchors_.insert(anchor);
  Frame frame{.offset = place.offset, .anchor = anchor, .style = style};
  frame.node.kind = kind;
  frame.node.at = place.at;
  frames_.push_back(std::move(frame));
  return true;
}

void YamlBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  open_anchors_.erase(frame.anchor);
  add(std::move(frame.node), frame.offset, frame.anchor);
}

std::optional<Position> YamlBuilder::open_bracket(YamlNode::Kind kind) const {
  const std::string_view text = source_->text;
  const char bracket = kind == YamlNode::Kind::sequence ? '[' : '{';
  for (const auto& frame : std::views::reverse(frames_)) {
    const size_t start = properties_at(text, frame.offset).value;
    if (start < text.size() && text[start] == bracket) return frame.node.at;
  }
  return std::nullopt;
}

bool YamlBuilder::expects_key() const {
  return !frames_.empty() && frames_.back().node.kind == YamlNode::Kind::mapping &&
         !frames_.back().key;
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
                      fmt::format("this alias alone stands for {} values, {} bytes of text",
                                  size.nodes, size.bytes));
  return false;
}

bool YamlBuilder::check_depth(const Position& at, int depth) const {
  if (depth <= kMaxDepth) return true;
  diagnostics_->error(at,
                      fmt::format("more than {} lists and mappings inside one another", kMaxDepth),
                      "no configuration needs so many: is a bracket closed in the wrong place?");
  return false;
}

void YamlBuilder::check_tag(const Place& place) const {
  const Properties properties = properties_at(source_->text, place.offset);
  if (properties.tag.empty()) return;
  diagnostics_->error(
      place.at,
      fmt::format("the YAML tag '{}' is not allowed", printable(properties.tag, kMaxShown)),
      "remove it: every value is taken as written; a text that begins with '!' needs quotes");
}

/// What looks like a blank or a quote, and is part of the text to the parser.
void YamlBuilder::check_plain(const Place& place, const std::string& text) {
  if (!false_character(text, 0, text.size())) return;
  // In the file it may run over several lines.
  const auto cause = false_character(source_->text, place.offset, source_->text.size());
  if (!cause) return;
  misread_ = true;
  diagnostics_->error(position_at(source_, cause->offset), cause->message, cause->hint);
}

/// `{{` is a mapping that is the key of another. The rest is not worth reading.
bool YamlBuilder::is_template_action(const Place& place, YamlNode::Kind kind) const {
  const std::string_view text = source_->text;
  if (kind != YamlNode::Kind::mapping || !expects_key()) return false;
  if (!line_before(text, place.offset).ends_with('{') || text[place.offset] != '{') return false;
  const auto [at, message, hint] = template_action(place.offset - 1);
  diagnostics_->error(position_at(source_, at), message, hint);
  return true;
}

/// The parser takes the end of the file for a closing quote.
bool YamlBuilder::check_quote(const Place& place) {
  const std::string_view text = source_->text;
  const size_t start = properties_at(text, place.offset).value;
  if (start >= text.size() || (text[start] != '"' && text[start] != '\'')) return true;
  const size_t end = closing_quote(text, start);
  if (end == std::string_view::npos) {
    diagnostics_->error(place.at, fmt::format("the closing quote ({}) is missing", text[start]),
                        std::string(kClosingQuote));
    return false;
  }
  if (text.substr(start, end - start).contains('\n')) last_long_quote_ = place.at;
  return true;
}

/// The parser takes a line without a colon for a key without a value, placed at the key.
bool YamlBuilder::lacks_colon(const Place& place) const {
  if (frames_.empty()) return false;
  const Frame& frame = frames_.back();
  return frame.key && frame.style == Style::block && frame.key_offset == place.offset;
}

void YamlBuilder::report_lacking_colon() {
  const YamlNode key = *std::exchange(frames_.back().key, std::nullopt);
  if (misread_) return;
  diagnostics_->error(
      key.at, fmt::format("expected 'key: value', got '{}'", printable(key.text, kMaxShown)),
      key.text.starts_with('-') ? "a list item needs a blank after the '-'"
                                : "after a key there must be a ':' and a blank");
}

/// The parser places what is left out at whatever comes next.
YamlNode YamlBuilder::make_null(const Place& place) const {
  const std::string_view text = source_->text;
  YamlNode node = node_of(YamlNode::Kind::null, place);
  const Properties properties = properties_at(text, place.offset);
  node.text = null_word_at(text, properties.value, expects_key());
  if (node.text.empty() && !properties.tag.empty()) {  // Reported; it was meant as the text.
    node.kind = YamlNode::Kind::scalar;
    node.text = properties.tag;
  }
  if (!node.text.empty() || frames_.empty()) return node;
  const Frame& frame = frames_.back();
  if (frame.key) {
    node.at = frame.key->at;
  } else if (frame.node.kind == YamlNode::Kind::sequence && frame.style == Style::block) {
    node.at = position_before(place, empty_item_before(text, place.offset));
  }
  return node;
}

void YamlBuilder::add(YamlNode node, size_t offset, Anchor anchor) {
  if (anchor != 0) anchors_[anchor] = node;
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.node.kind == YamlNode::Kind::sequence) {
    frame.node.items.push_back(std::move(node));
  } else if (!frame.key) {
    frame.key = std::move(node);
    frame.key_offset = offset;
  } else {
    add_entry(frame, std::move(node));
  }
}

void YamlBuilder::add_entry(Frame& frame, YamlNode value) {
  const YamlNode key = *std::exchange(frame.key, std::nullopt);
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
                        "write the keys out; an alias may stand for a whole value");
    return;
  }
  const auto first = std::ranges::find(
      frame.node.entries, key.text,
      [](const YamlEntry& entry) -> const std::string& { return entry.key.value; });
  if (first != frame.node.entries.end()) {
    diagnostics_->error(key.at, fmt::format("duplicate key '{}'", shown),
                        fmt::format("it is first given in line {}", first->key.at.line));
    return;
  }
  frame.node.entries.push_back({{key.text, key.at}, std::move(value)});
}

}  // namespace patchbay::config
