#pragma once

#include <optional>
#include <string>

#include "config/yaml_tree.h"

/// Files of other programs that are given to Patchbay by mistake, or in hope. One table: nothing
/// else has to change for another.
namespace patchbay::config {

struct ForeignFile {
  std::string what;  ///< "a file of docker compose"
  std::string hint;  ///< What to do, and where to read on.
};

/// What the file is, if it is known to be no configuration of ours.
[[nodiscard]] std::optional<ForeignFile> recognise_file(const YamlNode& root);

}  // namespace patchbay::config
