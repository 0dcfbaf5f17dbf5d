#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/yaml_tree.h"

/// Makes trees of YAML, and writes them as files in the style of the documents. Pure.
namespace patchbay::config {

/// A text. It gets quotes if YAML tools would read it as another type, such as "0403" or "on".
[[nodiscard]] YamlNode yaml_text(std::string text);
/// A number or a boolean, which has no quotes.
[[nodiscard]] YamlNode yaml_word(std::string word);
[[nodiscard]] YamlNode yaml_list(std::vector<YamlNode> items);
[[nodiscard]] YamlNode yaml_mapping(std::vector<std::pair<std::string, YamlNode>> entries);

/// The value of a key, which is added at the end if the mapping lacks it.
[[nodiscard]] YamlNode& value_in(YamlNode& mapping, std::string_view key);

struct YamlLayout {
  size_t width = 100;  ///< Columns. Longer texts are not cut.
  /// Writes short collections as {…} and […], unless a comment is in them. The values of some keys,
  /// such as `devices`, always have one line for each entry.
  bool flow = true;
};

/// The tree as a YAML document. parse_yaml() reads the same tree from it. The texts must be valid
/// UTF-8.
[[nodiscard]] std::string write_yaml(const YamlNode& tree, const YamlLayout& layout = {});

}  // namespace patchbay::config
