#include "fake/extended_resource_name.h"

#include <algorithm>

#include "base/text.h"

namespace patchbay::fake {
namespace {

constexpr size_t kMaxNameBytes = 63;
constexpr size_t kMaxDomainBytes = 253 - std::string_view("requests.").size();

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_qualified_name_segment(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && is_letter_or_digit(name.front()) &&
         is_letter_or_digit(name.back()) && std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

bool is_label(std::string_view label) {
  return !label.empty() && is_lower_or_digit(label.front()) && is_lower_or_digit(label.back()) &&
         std::ranges::all_of(label, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

}  // namespace

bool is_extended_resource_name(std::string_view name) {
  if (name.find("kubernetes.io/") != std::string_view::npos) return false;
  if (name.starts_with("requests.")) return false;
  const auto parts = split(name, '/');
  if (parts.size() != 2 || !is_qualified_name_segment(parts[1])) return false;
  return parts[0].size() <= kMaxDomainBytes && std::ranges::all_of(split(parts[0], '.'), is_label);
}

}  // namespace patchbay::fake
