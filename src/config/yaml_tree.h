#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/diagnostics.h"

namespace patchbay::config {

struct YamlEntry;

/// A value of a YAML file and its position. An alias becomes a copy of the value with the anchor.
/// The copy has the position of the alias.
struct YamlNode {
  enum class Kind { null, scalar, sequence, mapping };
  Kind kind = Kind::null;
  Position at{};       ///< An absent value has the position of its key or dash.
  std::string text{};  ///< The text of a scalar. For a null: the word, such as `~`, or empty.
  bool quoted = false;
  std::vector<YamlNode> items;  ///< The items of a sequence.
  /// The entries of a mapping, in the order of the file, without duplicate keys.
  std::vector<YamlEntry> entries;
  /// Comments for write_yaml(): at the end of the value's line, and in the lines above it.
  /// parse_yaml() leaves them empty.
  std::string comment;
  std::vector<std::string> lines_above;
};

struct YamlEntry {
  Located<std::string> key;
  YamlNode value;
};

/// The value of a key of a mapping; null if the key is absent.
[[nodiscard]] const YamlNode* value_of(const YamlNode& node, std::string_view key);
/// The text of the value of a key; empty if the value is absent or not text.
[[nodiscard]] std::string text_of(const YamlNode& node, std::string_view key);

/// A noun for messages, such as "text" or "a list".
[[nodiscard]] std::string_view kind_name(YamlNode::Kind kind);

/// Parses a file, which must have one document. Reports all mistakes that do not depend on the
/// language's keys: invalid bytes or syntax, tags, `<<`, a second document and duplicate keys. Also
/// reports keys that are not text, aliases inside their own anchor, and values beyond the limits of
/// spec_reader.h. Returns nullopt, after a report, if there is no usable tree.
[[nodiscard]] std::optional<YamlNode> parse_yaml(const std::shared_ptr<const Source>& source,
                                                 Diagnostics& diagnostics);

}  // namespace patchbay::config
