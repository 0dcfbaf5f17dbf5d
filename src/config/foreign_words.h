#pragma once

#include <span>
#include <string>
#include <string_view>

/// Keys of udev rules and of four device plugins, with their equivalents in Patchbay. The hints of
/// error messages use them. To add a key, add a line to the table in foreign_words.cpp.
namespace patchbay::config {

/// Keys that Patchbay does not have. Letter case, `-` and `_` are ignored.
struct ForeignKey {
  std::string_view blocks;  ///< Our blocks in which users write these keys, separated by spaces.
  std::string_view words;   ///< The keys, separated by spaces.
  std::string_view replacement{};  ///< The equivalent key of each of these blocks, or empty.
  std::string_view hint{};         ///< More help; the whole hint if `replacement` is empty.
};

[[nodiscard]] std::span<const ForeignKey> foreign_keys();

/// Returns the entry for a key in the block; null if there is no entry.
[[nodiscard]] const ForeignKey* find_foreign_key(std::string_view block, std::string_view word);

/// Returns the word in lower case, without `-` and `_`.
[[nodiscard]] std::string normalise_word(std::string_view word);

}  // namespace patchbay::config
