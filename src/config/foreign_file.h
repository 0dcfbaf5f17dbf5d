#pragma once

#include <optional>
#include <string>

#include "config/yaml_tree.h"

/// Recognises files of other programs that a user gives to Patchbay by mistake. To add a type of
/// file, add a line to a table in foreign_file.cpp.
namespace patchbay::config {

struct ForeignFile {
  std::string what;  ///< "a udev rule file"
  std::string hint;  ///< What to do, and the page to read.
};

/// Returns the type of the file. Nullopt if the type is unknown, or if the file is a configuration
/// of Patchbay.
[[nodiscard]] std::optional<ForeignFile> recognise_file(const YamlNode& root);

}  // namespace patchbay::config
