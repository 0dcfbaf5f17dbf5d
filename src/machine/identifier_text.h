#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Texts that contain identifiers, and the stand-ins for them. Pure.
namespace patchbay::machine {

/// Whether the text contains a stand-in: "standin" and ten hexadecimal digits in lower case.
[[nodiscard]] bool is_stand_in(std::string_view text);

/// The stand-in for a value. It is the same for all forms of the value.
[[nodiscard]] std::string stand_in(std::string_view value);

/// Without spaces and the quotes of the kernel around the value.
[[nodiscard]] std::string_view trimmed(std::string_view value);

/// Trimmed, and without the prefix that tells the kind of the identifier, such as "naa.".
[[nodiscard]] std::string_view without_prefix(std::string_view value);

/// In lower case, with "_" instead of other characters than letters and digits.
[[nodiscard]] std::string folded(std::string_view text);

/// The identifier as attributes, properties and links have it.
[[nodiscard]] std::vector<std::string> forms_of(std::string_view identifier);

/// Whether the value is too short to identify hardware, or a filler such as 0000.
[[nodiscard]] bool is_filler(std::string_view value);

/// Whether the text matches a shape, in which 'x' is a hexadecimal digit.
[[nodiscard]] bool has_shape(std::string_view text, std::string_view shape);

inline constexpr std::string_view kMac = "xx:xx:xx:xx:xx:xx";
inline constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
inline constexpr std::string_view kPciAddress = "xxxx:xx:xx.x";

/// Replaces words at once. A word begins and ends where the text has no letter or digit beside it.
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
