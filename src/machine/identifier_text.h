#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Functions to find identifiers in texts, and to replace them by stand-ins. A stand-in is
/// "standin" and ten hexadecimal digits in lower case, made from the value by a hash. Pure.
namespace patchbay::machine {

/// Whether the text contains a stand-in.
[[nodiscard]] bool is_stand_in(std::string_view text);

/// Returns the stand-in for a value. It is the same for all spellings of the value.
[[nodiscard]] std::string stand_in(std::string_view value);

/// Removes the spaces and quotes around a value.
[[nodiscard]] std::string_view trimmed(std::string_view value);

/// As trimmed(), but also removes a prefix for the kind of identifier, such as "naa.".
[[nodiscard]] std::string_view without_prefix(std::string_view value);

/// Converts to lower case, and replaces other characters than letters and digits by "_".
[[nodiscard]] std::string folded(std::string_view text);

/// Returns the spellings of the identifier in attributes, properties and links.
[[nodiscard]] std::vector<std::string> forms_of(std::string_view identifier);

/// Whether the value cannot identify hardware: it is too short, or a filler such as 0000.
[[nodiscard]] bool is_filler(std::string_view value);

/// Whether the text matches a shape, in which 'x' is a hexadecimal digit.
[[nodiscard]] bool has_shape(std::string_view text, std::string_view shape);

inline constexpr std::string_view kMac = "xx:xx:xx:xx:xx:xx";
inline constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
inline constexpr std::string_view kPciAddress = "xxxx:xx:xx.x";

/// Replaces several words of a text in one pass. A word is between characters that are no letters
/// or digits, or after a prefix such as "0x".
class WordReplacer {
 public:
  void add(std::string_view word, const std::string& by);
  [[nodiscard]] std::string replaced(std::string_view text) const;

 private:
  [[nodiscard]] size_t word_at(const std::string& text, size_t at) const;

  std::unordered_map<std::string, std::string> words_;  ///< By folded word.
  size_t longest_ = 0;
};

}  // namespace patchbay::machine
