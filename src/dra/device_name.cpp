#include "dra/device_name.h"

#include <algorithm>

#include "base/text.h"

namespace patchbay::dra {
namespace {

constexpr size_t kHashDigits = 8;
/// The length that the name of the resource can have in the name of a device.
constexpr size_t kMaxResourceLength = 26;

/// The text with a '-' for each character that no DNS label has.
std::string label_text(std::string_view text) {
  std::string label = lower_case(std::string(text));
  std::ranges::replace_if(
      label, [](char c) { return !is_alphanumeric(c); }, '-');
  return label;
}

std::string_view domain_of(std::string_view resource) {
  return resource.substr(0, std::min(resource.find('/'), resource.size()));
}

}  // namespace

std::string device_name(std::string_view resource, std::string_view id) {
  const std::string hash =
      stable_hash_hex(std::string(resource) + ' ' + std::string(id), kHashDigits);
  std::string name = label_text(base_name(resource)).substr(0, kMaxResourceLength) + '-';
  name += label_text(id);
  return name.substr(0, kMaxLabelLength - kHashDigits - 1) + '-' + hash;
}

std::string request_name(std::string_view resource) {
  const std::string_view name = base_name(resource);
  std::string label = label_text(name);
  if (label == name) return label;
  // Names such as "UART" and "uart" must not become one.
  label.resize(std::min(label.size(), kMaxLabelLength - kHashDigits - 1));
  return label + '-' + stable_hash_hex(name, kHashDigits);
}

std::string device_class_name(std::string_view resource) {
  return request_name(resource) + '.' + std::string(domain_of(resource));
}

}  // namespace patchbay::dra
