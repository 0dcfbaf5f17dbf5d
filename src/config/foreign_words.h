#pragma once

#include <span>
#include <string>
#include <string_view>

/// Words of udev and of four device plugins, with their equivalents in Patchbay, for hints. To add
/// a word, add a line to the table.
namespace patchbay::config {

/// Keys of other programs. Letter case, `-` and `_` are ignored.
struct ForeignKey {
  std::string_view blocks;         ///< Blocks in which the words are unknown, separated by spaces.
  std::string_view words;          ///< Separated by spaces.
  std::string_view replacement{};  ///< The equivalent key of each of these blocks, or empty.
  std::string_view hint{};         ///< More help; the whole hint if `instead` is empty.
};

[[nodiscard]] std::span<const ForeignKey> foreign_keys();

/// Null if the word is not in the table.
[[nodiscard]] const ForeignKey* find_foreign_key(std::string_view block, std::string_view word);

/// The word in the form in which this table compares words.
[[nodiscard]] std::string normalise_word(std::string_view word);

}  // namespace patchbay::config
