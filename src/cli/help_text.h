#pragma once

#include <string>
#include <vector>

namespace patchbay::cli {

/// What `--help` says, for a terminal of 80 columns.
struct HelpText {
  /// A word (an option, a command) and what it is.
  struct Entry {
    std::string word;
    std::string meaning;
  };
  struct Section {
    std::string title;
    std::vector<Entry> entries;
  };

  std::string summary;
  std::string usage;
  std::vector<Section> sections;
  std::string footer;  ///< As it is printed.
};

/// Meanings stand in one column, and are wrapped there.
[[nodiscard]] std::string format_help(const HelpText& help);

}  // namespace patchbay::cli
