#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "config/yaml_tree.h"

/// Makes trees of YAML, and writes them in the style that docs/ uses. Pure.
namespace patchbay::config {

/// Makes a text. Without quotes, YAML tools read a number or a boolean from some texts, such as
/// 0403 and on. Such a text gets quotes.
[[nodiscard]] YamlNode yaml_text(std::string text);
/// Makes a number or a boolean. It is written without quotes.
[[nodiscard]] YamlNode yaml_word(std::string word);
[[nodiscard]] YamlNode yaml_list(std::vector<YamlNode> items);
[[nodiscard]] YamlNode yaml_mapping(std::vector<std::pair<std::string, YamlNode>> entries);

/// Makes the tree of a JSON value.
[[nodiscard]] YamlNode yaml_tree(const Json& json);

/// Returns the value of a key. If the mapping lacks the key, adds it at the end.
[[nodiscard]] YamlNode& value_in(YamlNode& mapping, std::string_view key);

struct YamlLayout {
  size_t width = 100;  ///< Maximum width in columns, except for longer texts.
  /// Whether short lists and mappings are written as […] and {…}, unless they contain a comment.
  /// The values of some keys, such as `devices`, always have one line for each entry.
  bool flow = true;
};

/// Returns a YAML document. parse_yaml() makes the same tree from this document. Texts must be
/// valid UTF-8.
[[nodiscard]] std::string write_yaml(const YamlNode& tree, const YamlLayout& layout = {});

}  // namespace patchbay::config
