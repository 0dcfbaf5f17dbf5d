#include "config/yaml_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::config {
namespace {

/// The column of comments, if the value is shorter.
constexpr size_t kCommentColumn = 53;
constexpr size_t kIndentStep = 2;

/// Keys whose values have one line for each entry.
constexpr std::array<std::string_view, 10> kKeysOfLines{
    "resources", "groups",      "members", "devices",  "mounts",
    "envs",      "annotations", "health",  "preStart", "release"};

bool has_a_line_per_entry(std::string_view key) {
  return std::ranges::find(kKeysOfLines, key) != kKeysOfLines.end();
}

/// Words that YAML 1.1 or 1.2 reads as a boolean or as null, in lower case.
constexpr std::array<std::string_view, 10> kTypedWords{"true", "false", "yes", "no",   "on",
                                                       "off",  "y",     "n",   "null", "~"};

/// Whether a YAML tool may read the plain text as a number, a date, a boolean or null.
bool has_other_type(std::string_view text) {
  if (text.empty()) return true;
  const std::string lower = lower_case(std::string(text));
  if (std::ranges::find(kTypedWords, lower) != kTypedWords.end()) return true;
  const size_t sign = lower[0] == '+' || lower[0] == '-' ? 1 : 0;
  const std::string_view rest = std::string_view(lower).substr(sign);
  if (rest == ".inf" || rest == ".nan") return true;
  if (rest.starts_with("0x") || rest.starts_with("0o") || rest.starts_with("0b")) return true;
  // Numbers such as 0403, 1_000, 1e3 and 12:30, and dates.
  const auto is_numeric = [](char c) {
    return (c >= '0' && c <= '9') || std::string_view("._:-+e").contains(c);
  };
  const bool begins_as_number =
      !rest.empty() && ((rest[0] >= '0' && rest[0] <= '9') || rest[0] == '.');
  return begins_as_number && std::ranges::all_of(rest, is_numeric);
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

/// Whether the text can be written without quotes, also between brackets.
bool is_plain(std::string_view text) {
  constexpr std::string_view kNotFirst = "-?:,[]{}#&*!|<>'\"%@`=";
  constexpr std::string_view kNever = "?,[]{}\"'\\";
  if (text.empty()) return false;
  const bool negative = text.front() == '-' && text.size() > 1 && is_digit(text[1]);
  if ((kNotFirst.contains(text.front()) && !negative) || text.front() == ' ' ||
      text.back() == ' ' || text.back() == ':') {
    return false;
  }
  // In UTF-8, line separators and the byte order mark begin with these bytes.
  constexpr std::string_view kSpecial = "\xc2\xe2\xef";
  return std::ranges::none_of(
             text,
             [&](char c) { return is_control(c) || kNever.contains(c) || kSpecial.contains(c); }) &&
         !text.contains(": ") && !text.contains(" #");
}

std::string in_double_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string in_quotes(std::string_view text) {
  const bool escapes = std::ranges::any_of(text, is_control);
  const bool awkward = text.contains('"') || text.contains('\\');
  if (escapes || !awkward || text.contains('\'')) return in_double_quotes(text);
  return fmt::format("'{}'", text);
}

std::string scalar_text(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return "null";
  return node.quoted || !is_plain(node.text) ? in_quotes(node.text) : node.text;
}

std::string key_text(const std::string& key) {
  return is_plain(key) && !has_other_type(key) ? key : in_quotes(key);
}

bool is_collection(const YamlNode& node) {
  return node.kind == YamlNode::Kind::sequence || node.kind == YamlNode::Kind::mapping;
}

bool is_empty(const YamlNode& node) { return node.items.empty() && node.entries.empty(); }

bool has_comments(const YamlNode& node) {
  return !node.comment.empty() || !node.lines_above.empty();
}

bool may_be_flow(const YamlNode& node) {
  const auto is_fine = [](const YamlNode& inner) {
    return !has_comments(inner) && may_be_flow(inner);
  };
  return std::ranges::all_of(node.items, is_fine) &&
         std::ranges::all_of(node.entries, [&](const YamlEntry& entry) {
           return !(has_a_line_per_entry(entry.key.value) && is_collection(entry.value)) &&
                  is_fine(entry.value);
         });
}

std::string flow_text(const YamlNode& node) {
  if (!is_collection(node)) return scalar_text(node);
  const bool mapping = node.kind == YamlNode::Kind::mapping;
  std::string out;
  for (const YamlNode& item : node.items) {
    out += (out.empty() ? "" : ", ") + flow_text(item);
  }
  for (const YamlEntry& entry : node.entries) {
    out += (out.empty() ? "" : ", ") + key_text(entry.key.value) + ": " + flow_text(entry.value);
  }
  return (mapping ? "{" : "[") + out + (mapping ? "}" : "]");
}

class Writer {
 public:
  explicit Writer(const YamlLayout& layout) : layout_(layout) {}

  std::string run(const YamlNode& tree) {
    if (is_collection(tree) && !is_empty(tree)) {
      for (const std::string& line : tree.lines_above) add_comment(line, 0);
      write_block(tree, 0);
    } else {
      add_value("", tree, 0);
    }
    return std::move(out_);
  }

 private:
  void write_block(const YamlNode& node, size_t indent) {
    for (const YamlNode& item : node.items) {
      write_lines_above(item, indent);
      add_item(item, indent);
    }
    for (const YamlEntry& entry : node.entries) {
      write_lines_above(entry.value, indent);
      add_entry(entry, indent);
    }
  }

  /// `- ` and the item. A collection begins on the same line.
  void add_item(const YamlNode& item, size_t indent) {
    if (is_one_line(item, indent + kIndentStep, false)) return add_value("- ", item, indent);
    if (!item.comment.empty())
      add_comment(item.comment, dashes_.empty() ? indent : dashes_.front());
    dashes_.push_back(indent);
    write_block(item, indent + kIndentStep);
  }

  void add_entry(const YamlEntry& entry, size_t indent) {
    const std::string key = key_text(entry.key.value) + ":";
    if (is_one_line(entry.value, indent + key.size() + 1, has_a_line_per_entry(entry.key.value))) {
      return add_value(key + " ", entry.value, indent);
    }
    add_commented(margin(indent) + key, entry.value.comment);
    write_block(entry.value, indent + kIndentStep);
  }

  [[nodiscard]] bool is_one_line(const YamlNode& node, size_t column, bool block) const {
    if (!is_collection(node) || is_empty(node)) return true;
    return layout_.flow && !block && may_be_flow(node) &&
           column + text_width(flow_text(node)) <= layout_.width;
  }

  void add_value(const std::string& before, const YamlNode& node, size_t indent) {
    const bool absent = node.kind == YamlNode::Kind::null && node.text.empty();
    add_commented(margin(indent) + before + (absent ? "" : flow_text(node)), node.comment);
  }

  /// The line with the comment at its end, or above it if both are too long for one line.
  void add_commented(std::string line, const std::string& comment) {
    if (comment.empty()) return add_line(line);
    const size_t width = text_width(line);
    const size_t column = std::max(kCommentColumn - 1, width + 2);
    if (column + text_width(comment) + 2 > layout_.width) {
      add_comment(comment, line.find_first_not_of(' '));
      return add_line(line);
    }
    line.append(column - width, ' ');
    add_line(line + comment_text(comment));
  }

  void write_lines_above(const YamlNode& node, size_t indent) {
    // In an item, the lines of its first entry are above the dash.
    const size_t column = dashes_.empty() ? indent : dashes_.front();
    for (const std::string& line : node.lines_above) {
      add_comment(line, column);
    }
  }

  /// The indentation, with the dashes of items before their first entry.
  std::string margin(size_t indent) {
    std::string text(indent, ' ');
    for (const size_t column : dashes_) text[column] = '-';
    dashes_.clear();
    return text;
  }

  /// A comment ends at the end of its line, whatever its text.
  static std::string comment_text(const std::string& comment) {
    return "# " + printable(comment, comment.size() * 4);
  }

  void add_comment(const std::string& comment, size_t column) {
    add_line(std::string(column, ' ') + comment_text(comment));
  }

  /// A null has no text after its key or dash.
  void add_line(const std::string& line) { out_.append(trim_end(line)) += '\n'; }

  YamlLayout layout_;
  std::string out_;
  std::vector<size_t> dashes_;  ///< The columns of the dashes that are not yet written.
};

}  // namespace

YamlNode yaml_text(std::string text) {
  YamlNode node = yaml_word(std::move(text));
  node.quoted = has_other_type(node.text);
  return node;
}

YamlNode yaml_word(std::string word) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = std::move(word);
  return node;
}

YamlNode yaml_list(std::vector<YamlNode> items) {
  YamlNode node;
  node.kind = YamlNode::Kind::sequence;
  node.items = std::move(items);
  return node;
}

YamlNode yaml_mapping(std::vector<std::pair<std::string, YamlNode>> entries) {
  YamlNode node;
  node.kind = YamlNode::Kind::mapping;
  for (auto& [key, value] : entries) {
    node.entries.push_back({{std::move(key), {}}, std::move(value)});
  }
  return node;
}

YamlNode& value_in(YamlNode& mapping, std::string_view key) {
  mapping.kind = YamlNode::Kind::mapping;
  for (YamlEntry& entry : mapping.entries) {
    if (entry.key.value == key) return entry.value;
  }
  return mapping.entries.emplace_back(YamlEntry{{std::string(key), {}}, {}}).value;
}

YamlNode yaml_tree(const Json& json) {
  if (json.is_string()) return yaml_text(json.get<std::string>());
  if (!json.is_structured()) return yaml_word(json.dump());
  YamlNode list = yaml_list({});
  YamlNode mapping = yaml_mapping({});
  if (json.is_array()) {
    for (const Json& item : json) list.items.push_back(yaml_tree(item));
    return list;
  }
  for (const auto& [key, value] : json.items()) value_in(mapping, key) = yaml_tree(value);
  return mapping;
}

std::string write_yaml(const YamlNode& tree, const YamlLayout& layout) {
  return Writer(layout).run(tree);
}

}  // namespace patchbay::config
