#pragma once

#include <span>
#include <string>
#include <string_view>

/// Words of Kubernetes, Docker, udev and other device plugins, with their equivalents in Patchbay,
/// for hints. To add a word, add a line to one of the two tables.
namespace patchbay::config {

/// Keys of other programs. Letter case, `-` and `_` are ignored.
struct ForeignKey {
  std::string_view blocks;         ///< Blocks in which the words are unknown, separated by spaces.
  std::string_view words;          ///< Separated by spaces.
  std::string_view replacement{};  ///< The equivalent key of each of these blocks, or empty.
  std::string_view hint{};         ///< More help; the whole hint if `instead` is empty.
};

/// Values of other programs, for keys that accept only certain words.
struct ForeignValue {
  std::string_view key;
  std::string_view values;
  std::string_view replacement;  ///< One of the words of the key.
};

[[nodiscard]] std::span<const ForeignKey> foreign_keys();
[[nodiscard]] std::span<const ForeignValue> foreign_values();

/// Null if the word is not in the table.
[[nodiscard]] const ForeignKey* find_foreign_key(std::string_view block, std::string_view word);
/// The equivalent value; empty if the value is not in the table.
[[nodiscard]] std::string_view find_foreign_value(std::string_view key, std::string_view value);

/// The word in the form in which these tables compare words.
[[nodiscard]] std::string normalise_word(std::string_view word);

}  // namespace patchbay::config
