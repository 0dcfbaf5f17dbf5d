#pragma once

#include <string>
#include <vector>

namespace patchbay::cli {

/// The content of a `--help` page.
struct HelpText {
  /// An option, argument or command, and its meaning.
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
  std::string footer;  ///< Printed without wrapping.
};

/// Formats the page for 80 columns. The meanings in a section are wrapped in one column.
[[nodiscard]] std::string format_help(const HelpText& help);

}  // namespace patchbay::cli
