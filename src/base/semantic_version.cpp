#include "base/semantic_version.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay {
namespace {

bool is_number(std::string_view text) {
  const bool digits = !text.empty() && std::ranges::all_of(text, is_digit);
  return digits && (text.size() == 1 || text.front() != '0') && parse_whole<int64_t>(text);
}

/// An item of a pre-release or of build metadata.
bool is_identifier(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_prerelease_identifier(std::string_view text) {
  return is_identifier(text) && (!std::ranges::all_of(text, is_digit) || is_number(text));
}

/// Removes the text from the separator on. Returns whether each item after the separator fits; true
/// if there is no separator.
bool take_suffix(std::string_view& text, char separator, bool (*fits)(std::string_view)) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return true;
  const bool all_fit = std::ranges::all_of(split(text.substr(at + 1), '.'), fits);
  text = text.substr(0, at);
  return all_fit;
}

}  // namespace

bool is_semantic_version(std::string_view text) {
  if (!take_suffix(text, '+', is_identifier)) return false;
  if (!take_suffix(text, '-', is_prerelease_identifier)) return false;
  const auto numbers = split(text, '.');
  return numbers.size() == 3 && std::ranges::all_of(numbers, is_number);
}

}  // namespace patchbay
