#pragma once

#include <span>
#include <string>
#include <string_view>

/// What people write who know another tool: words of Kubernetes, Docker, udev and other device
/// plugins, and what says the same here. Two tables; nothing else has to change for a new word.
namespace patchbay::config {

/// Keys of others. Upper and lower case, `-` and `_` make no difference.
struct ForeignKey {
  std::string_view blocks;         ///< The blocks that the words are unknown in, blanks between.
  std::string_view words;          ///< Blanks between.
  std::string_view replacement{};  ///< The key of each of these blocks that says it; or none.
  std::string_view hint{};         ///< What else there is to say; alone where there is no such key.
};

/// Values of others, where a key takes words only.
struct ForeignValue {
  std::string_view key;
  std::string_view values;
  std::string_view replacement;  ///< One of the key's words.
};

[[nodiscard]] std::span<const ForeignKey> foreign_keys();
[[nodiscard]] std::span<const ForeignValue> foreign_values();

/// Null if nothing is known of it.
[[nodiscard]] const ForeignKey* find_foreign_key(std::string_view block, std::string_view word);
/// What says it; empty if nothing is known of it.
[[nodiscard]] std::string_view find_foreign_value(std::string_view key, std::string_view value);

/// The word as these tables compare it.
[[nodiscard]] std::string normalise_word(std::string_view word);

}  // namespace patchbay::config
