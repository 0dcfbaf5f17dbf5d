#include "rules/text/qualified_name.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

// "requests." + domain has at most 253 characters, as a name in a quota.
constexpr size_t kMaxDomainLength = 244;
constexpr size_t kMaxNameLength = 63;

constexpr const char* kNameHint =
    "write vendor.example/name: your own domain in lower case, then letters, digits, '-', '_', '.'";

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool all(std::string_view text, bool (*accepts)(char), std::string_view others) {
  return std::ranges::all_of(
      text, [&](char c) { return accepts(c) || others.find(c) != std::string_view::npos; });
}

/// The reason why the kubelet would reject the text before the '/'.
std::optional<std::string> domain_fault(std::string_view domain) {
  if (domain.find('/') != std::string_view::npos) return "holds a '/'";
  if (domain.ends_with("kubernetes.io"))
    return "ends in kubernetes.io, which is reserved for Kubernetes";
  if (domain.starts_with("requests.")) return "begins with requests., which quotas use";
  return dns_name_fault(domain, kMaxDomainLength);
}

/// The reason why the kubelet would reject the text after the '/'.
std::optional<std::string> name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.find('/') != std::string_view::npos) return "contains another '/'";
  if (name.size() > kMaxNameLength) {
    return fmt::format("has {} characters; the limit is {}", name.size(), kMaxNameLength);
  }
  if (!all(name, is_alphanumeric, "-_.")) {
    return "can contain only letters, digits, '-', '_' and '.'";
  }
  if (!is_alphanumeric(name.front()) || !is_alphanumeric(name.back())) {
    return "must begin and end with a letter or digit";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> dns_name_fault(std::string_view name, size_t most) {
  if (name.empty()) return "is empty";
  if (name.size() > most) {
    return fmt::format("has {} characters; the limit is {}", name.size(), most);
  }
  for (const std::string_view label : split(name, '.')) {
    if (label.empty()) return "has an empty part between its dots";
    if (!all(label, is_lower_or_digit, "-")) {
      return "can contain only lower-case letters, digits, '-' and '.'";
    }
    if (label.front() == '-' || label.back() == '-') {
      return "has a part that begins or ends with '-'";
    }
  }
  return std::nullopt;
}

bool check_domain(const config::Located<std::string>& domain, config::Diagnostics& diagnostics) {
  const auto fault = domain_fault(domain.value);
  if (fault) {
    diagnostics.error(domain.at, fmt::format("the domain '{}' {}", domain.value, *fault),
                      "write your own domain in lower case, for example lab.example.com");
  }
  return !fault;
}

std::optional<std::string> qualified_resource_name(
    const config::Located<std::string>& written,
    const std::optional<config::Located<std::string>>& domain, config::Diagnostics& diagnostics) {
  const std::string_view text = written.value;
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos && !domain) {
    diagnostics.error(
        written.at, fmt::format("the resource name '{}' has no domain", text),
        fmt::format("write vendor.example/{}, or give defaults: {{domain: …}}", text));
    return std::nullopt;
  }
  std::string fault;
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (slash != std::string_view::npos) {
    if (const auto found = domain_fault(text.substr(0, slash))) {
      fault = fmt::format("the part before the '/' {}", *found);
    }
  }
  if (const auto found = name_fault(name); found && fault.empty()) {
    fault =
        slash == std::string_view::npos ? *found : fmt::format("the part after the '/' {}", *found);
  }
  if (!fault.empty()) {
    diagnostics.error(written.at,
                      fmt::format("the resource name '{}' is not allowed: {}", text, fault),
                      kNameHint);
    return std::nullopt;
  }
  return slash == std::string_view::npos ? fmt::format("{}/{}", domain->value, text)
                                         : std::string(text);
}

}  // namespace patchbay::rules
