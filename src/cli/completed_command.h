#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/option_parser.h"

namespace patchbay::cli {

/// A command with the data for its completion, for any shell.
struct CompletedCommand {
  std::string name;
  std::string summary;
  std::vector<OptionParser::Option> options;  ///< And arguments.
};

/// The first sentence of a text, as the description of a choice.
[[nodiscard]] inline std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find(". "));
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace patchbay::cli
