#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/diagnostics.h"

namespace patchbay::config {

struct YamlEntry;

/// A value of a YAML file and where it stands. Aliases have been replaced by copies of what they
/// name, placed where the alias stands.
struct YamlNode {
  enum class Kind { null, scalar, sequence, mapping };
  Kind kind = Kind::null;
  Position at{};  ///< Of a value that is left out: of its key, or of the dash of the list item.
  std::string text{};  ///< Of a scalar. Of a null, the word if one was written.
  bool quoted = false;
  std::vector<YamlNode> items;     ///< Of a sequence.
  std::vector<YamlEntry> entries;  ///< Of a mapping, in the order of the file, each key once.
};

struct YamlEntry {
  Located<std::string> key;
  YamlNode value;
};

/// The value of a key of a mapping; null without it.
[[nodiscard]] const YamlNode* value_of(const YamlNode& node, std::string_view key);
/// The text of that value; empty if it is absent, or no text.
[[nodiscard]] std::string text_of(const YamlNode& node, std::string_view key);

/// "text", "a list", …, for messages.
[[nodiscard]] std::string_view kind_name(YamlNode::Kind kind);

/// Reads the one document of a file. Reports what no block could know of: bad bytes, bad syntax, a
/// tag, `<<`, a second document, duplicate keys, keys that are no text, aliases to a node still
/// open, and the bounds of spec_reader.h. Null if there is no tree to go on with; that has been
/// reported.
[[nodiscard]] std::optional<YamlNode> parse_yaml(const std::shared_ptr<const Source>& source,
                                                 Diagnostics& diagnostics);

}  // namespace patchbay::config
