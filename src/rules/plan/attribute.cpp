#include "rules/plan/attribute.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/semantic_version.h"
#include "base/text.h"
#include "base/whole_number.h"
#include "rules/text/qualified_name.h"

namespace patchbay::rules {
namespace {

using config::AttributeType;

constexpr size_t kMaxDomainBytes = 63;
constexpr size_t kMaxIdentifierBytes = 32;

/// The attributes that a device can have without `dra.attributes`. Those of every kind of match are
/// first.
constexpr std::array<std::string_view, 11> kPublished{"resource",
                                                      "id",
                                                      "usbVendor",
                                                      "usbProduct",
                                                      "usbSerial",
                                                      "usbSocket",
                                                      "pciVendor",
                                                      "pciDevice",
                                                      "resource.kubernetes.io/pciBusID",
                                                      "resource.kubernetes.io/pcieRoot",
                                                      "resource.kubernetes.io/numaNode"};
constexpr size_t kOfEveryKind = 2;

constexpr std::string_view kNameHint =
    "write at most 32 letters, digits and '_', beginning with a letter, for example usbSerial";

bool is_identifier_character(char c) { return is_alphanumeric(c) || c == '_'; }

std::optional<std::string> identifier_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kMaxIdentifierBytes) {
    return fmt::format("has {} characters; the limit is {}", name.size(), kMaxIdentifierBytes);
  }
  const auto bad = std::ranges::find_if_not(name, is_identifier_character);
  if (bad != name.end()) return fmt::format("contains '{}'", printable(std::string(1, *bad)));
  if (is_digit(name.front())) return "begins with a digit";
  return std::nullopt;
}

std::string_view value_hint(AttributeType type) {
  switch (type) {
    case AttributeType::text:
      return "write a short text, without tabs and line ends";
    case AttributeType::integer:
      return "write a whole number of 64 bits, for example 4";
    case AttributeType::boolean:
      return "write true or false";
    case AttributeType::version:
      return "write a semantic version, for example 1.2.0 or 1.2.0-rc.1; or a text without "
             "version:";
  }
  return "";
}

/// Checks the name and the value of each attribute, and their number.
class AttributeCompiler {
 public:
  AttributeCompiler(std::string_view driver, const TemplateRules& rules,
                    config::Diagnostics& diagnostics)
      : driver_(driver), rules_(rules), diagnostics_(diagnostics) {}

  std::optional<AttributePlan> compile(const config::AttributeSpec& spec);
  void check_count(const std::vector<config::AttributeSpec>& specs);

 private:
  bool check_name(const config::Located<std::string>& written);
  bool check_constant(const AttributePlan& attribute);

  std::string_view driver_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
};

bool AttributeCompiler::check_name(const config::Located<std::string>& written) {
  const auto report = [&](std::string_view fault, std::string hint) {
    diagnostics_.error(written.at,
                       fmt::format("the attribute name '{}' {}", printable(written.value), fault),
                       std::move(hint));
    return false;
  };
  const std::string_view name = written.value;
  const size_t slash = name.find('/');
  const std::string_view own = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (std::ranges::find(kPublished, name) != kPublished.end()) {
    return report("is taken: this attribute is always published",
                  "remove it, or write another name for this value");
  }
  if (slash != std::string_view::npos) {
    const std::string_view domain = name.substr(0, slash);
    if (domain == "kubernetes.io" || domain.ends_with(".kubernetes.io")) {
      return report("has a domain that is reserved for Kubernetes",
                    fmt::format("write it without the domain: {}", printable(own)));
    }
    if (!driver_.empty() && domain == driver_) {
      return report("has the driver's name as its domain",
                    fmt::format("this is the default domain: write {}", printable(own)));
    }
    if (const auto fault = dns_name_fault(domain, kMaxDomainBytes)) {
      return report(fmt::format("has a bad domain before the '/', which {}", *fault),
                    "write a domain of another vendor in lower case, for example "
                    "vendor.example/model; or the name without a domain");
    }
  }
  const auto fault = identifier_fault(own);
  const std::string_view part = own == name ? "" : "has a part after the '/' that ";
  return !fault || report(fmt::format("{}{}", part, *fault), std::string(kNameHint));
}

/// A text without variables is the value of every device.
bool AttributeCompiler::check_constant(const AttributePlan& attribute) {
  if (!attribute.value.uses().empty()) return true;
  const std::string text = attribute.value.with("");
  const auto fault = attribute_fault(attribute.type, text);
  if (!fault) return true;
  diagnostics_.error(
      attribute.value.at(),
      fmt::format("'{}' of the attribute '{}' {}", printable(text), attribute.name, *fault),
      std::string(value_hint(attribute.type)));
  return false;
}

std::optional<AttributePlan> AttributeCompiler::compile(const config::AttributeSpec& spec) {
  const bool named = check_name(spec.name);
  auto value = Template::compile(spec.value, TextUse::value, rules_, diagnostics_);
  if (!named || !value) return std::nullopt;
  AttributePlan attribute{spec.name.value, spec.type, *std::move(value)};
  if (!check_constant(attribute)) return std::nullopt;
  return attribute;
}

void AttributeCompiler::check_count(const std::vector<config::AttributeSpec>& specs) {
  const bool of_hardware = kDeviceRules.contains(rules_.entity.kind);
  const size_t published = of_hardware ? kPublished.size() : kOfEveryKind;
  const size_t most = kMaxAttributes - published;
  if (specs.size() <= most) return;
  diagnostics_.error(
      specs[most].name.at,
      fmt::format("{} attributes, and {} that are always published; a device can have {}",
                  specs.size(), published, kMaxAttributes),
      fmt::format("remove {} of them", specs.size() - most));
}

}  // namespace

std::optional<std::string> attribute_fault(AttributeType type, std::string_view text) {
  if (text.empty()) return "is empty";
  switch (type) {
    case AttributeType::integer:
      if (!parse_whole<int64_t>(text)) return "is no whole number of 64 bits";
      return std::nullopt;
    case AttributeType::boolean:
      for (const char* const valid : {"true", "1", "false", "0"}) {
        if (text == valid) return std::nullopt;
      }
      return "is neither true nor false";
    case AttributeType::version:
      if (!is_semantic_version(text)) return "is no semantic version";
      break;
    case AttributeType::text:
      break;
  }
  if (has_control_character(text)) return "contains a control character";
  if (text.size() <= kMaxAttributeBytes) return std::nullopt;
  return fmt::format("has {} bytes; the limit is {}", text.size(), kMaxAttributeBytes);
}

std::vector<AttributePlan> compile_attributes(const std::vector<config::AttributeSpec>& specs,
                                              std::string_view driver, const TemplateRules& rules,
                                              config::Diagnostics& diagnostics) {
  AttributeCompiler compiler(driver, rules, diagnostics);
  std::vector<AttributePlan> attributes;
  for (const config::AttributeSpec& spec : specs) {
    if (auto attribute = compiler.compile(spec)) attributes.push_back(*std::move(attribute));
  }
  compiler.check_count(specs);
  std::ranges::sort(attributes, {}, &AttributePlan::name);
  return attributes;
}

}  // namespace patchbay::rules
