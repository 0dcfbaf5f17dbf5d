#pragma once

#include <string>
#include <vector>

namespace patchbay::cli {

/// The text of `--help`, for a terminal of 80 columns.
struct HelpText {
  /// A word (an option, a command) and its meaning.
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
  std::string footer;  ///< Printed unchanged.
};

/// Aligns the meanings in one column and wraps them there.
[[nodiscard]] std::string format_help(const HelpText& help);

}  // namespace patchbay::cli
