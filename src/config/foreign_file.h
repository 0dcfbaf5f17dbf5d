#pragma once

#include <optional>
#include <string>

#include "config/yaml_tree.h"

/// Recognises files of other programs that are given to Patchbay by mistake. To add a file type,
/// add a line to a table.
namespace patchbay::config {

struct ForeignFile {
  std::string what;  ///< "a udev rule file"
  std::string hint;  ///< What to do, and the page to read.
};

/// The type of the file, if it is known and not a configuration of Patchbay.
[[nodiscard]] std::optional<ForeignFile> recognise_file(const YamlNode& root);

}  // namespace patchbay::config
