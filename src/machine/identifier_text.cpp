#include "machine/identifier_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::machine {
namespace {

/// Prefixes that tell the kind of an identifier.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"0x", "naa.", "eui.", "uuid.", "nvme.", "t10.", "LVM-", "CRYPT-", "mpath-"});
/// Texts before an identifier in one word. Network interfaces have a MAC address. A space is \x20.
constexpr auto kAffixes = std::to_array<std::string_view>({"0x", "enx", "wlx", "wwx", "x20"});

constexpr std::string_view kWord = "standin";
constexpr size_t kDigitsOfStandIn = 10;
/// Shorter values are numbers of ports and the like.
constexpr size_t kShortest = 4;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Labels can have letters of any script.
bool is_letter(char c) { return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80; }

/// Letters and digits of a text in lower case. udev writes other characters as "_" and "\x20".
std::string joined(std::string_view text) {
  std::string letters;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\x")) i += 4;
    if (i < text.size() && is_letter(text[i])) letters += text[i];
  }
  return lower_case(std::move(letters));
}

/// As in properties such as ID_MODEL_ENC.
std::string encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool stays = is_letter(c) || std::string_view("#+-.:=@_").contains(c);
    result += stays ? std::string(1, c) : fmt::format("\\x{:02x}", c);
  }
  return result;
}

bool is_boundary(std::string_view text, size_t at) {
  return at == 0 || at == text.size() || text[at - 1] == '_' || text[at] == '_';
}

/// SCSI ids have a digit before the identifier.
bool may_begin(std::string_view text, size_t at) {
  const auto is_after = [&](std::string_view affix) {
    return text.substr(0, at).ends_with(affix) && is_boundary(text, at - affix.size());
  };
  return is_boundary(text, at) || std::ranges::any_of(kAffixes, is_after) ||
         (is_digit(text[at - 1]) && is_boundary(text, at - 1));
}

}  // namespace

bool is_stand_in(std::string_view text) {
  for (size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    const auto digits = text.substr(at + kWord.size(), kDigitsOfStandIn);
    if (digits.size() == kDigitsOfStandIn &&
        std::ranges::all_of(digits, [](char c) { return kHexDigits.contains(c); })) {
      return true;
    }
  }
  return false;
}

std::string stand_in(std::string_view value) {
  return std::string(kWord) + stable_hash_hex(joined(without_prefix(value)), kDigitsOfStandIn);
}

std::string_view trimmed(std::string_view value) {
  const size_t begin = value.find_first_not_of(" \"");
  if (begin == std::string_view::npos) return {};
  return value.substr(begin, value.find_last_not_of(" \"") + 1 - begin);
}

std::string_view without_prefix(std::string_view value) {
  value = trimmed(value);
  for (const std::string_view prefix : kPrefixes) {
    if (value.starts_with(prefix)) value.remove_prefix(prefix.size());
  }
  return value;
}

std::string folded(std::string_view text) {
  std::string result = lower_case(std::string(text));
  std::ranges::replace_if(result, std::not_fn(is_letter), '_');
  return result;
}

std::vector<std::string> forms_of(std::string_view identifier) {
  std::vector<std::string> forms{std::string(identifier), encoded(identifier)};
  // UUIDs and MAC addresses without separators.
  std::string digits = joined(identifier);
  if (digits.size() >= kMac.size() - 5 && std::ranges::all_of(digits, is_hex)) {
    forms.push_back(std::move(digits));
  }
  return forms;
}

bool is_filler(std::string_view value) {
  return value.size() < kShortest || std::ranges::all_of(value, [](char c) {
           return !is_letter(c) || c == '0' || c == 'x' || c == 'f' || c == 'F';
         });
}

bool has_shape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char expected) {
    return expected == 'x' ? is_hex(c) : c == expected;
  });
}

void WordReplacer::add(std::string_view word, const std::string& by) {
  words_.emplace(folded(word), by);
  longest_ = std::max(longest_, word.size());
}

std::string WordReplacer::replaced(std::string_view text) const {
  const std::string plain = folded(text);
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t length = may_begin(plain, i) ? word_at(plain, i) : 0;
    result += length > 0 ? words_.at(plain.substr(i, length)) : std::string(1, text[i]);
    i += std::max<size_t>(length, 1);
  }
  return result;
}

/// The length of the longest word there; 0: none.
size_t WordReplacer::word_at(const std::string& text, size_t at) const {
  for (size_t length = std::min(longest_, text.size() - at); length >= kShortest; --length) {
    if (is_boundary(text, at + length) && words_.contains(text.substr(at, length))) return length;
  }
  return 0;
}

}  // namespace patchbay::machine
