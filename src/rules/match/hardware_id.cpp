#include "rules/match/hardware_id.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

constexpr size_t kIdDigits = 4;
constexpr size_t kClassDigits = 6;
constexpr std::string_view kPatternHint = "write lower-case hex digits without 0x: \"10d*\"";

bool is_all(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

std::string digits_of(std::string_view written) {
  if (written.starts_with("0x") || written.starts_with("0X")) written.remove_prefix(2);
  return lower_case(std::string(written));
}

/// The possible original texts of a decimal number, with one of these numbers of digits. Tools that
/// rewrite YAML read 0403 as octal and 0x0403 as hexadecimal, and write both as decimal numbers.
/// Empty if there are none.
std::string origin_hint(std::string_view written, std::span<const size_t> widths) {
  const auto number = parse_whole<uint32_t>(written);
  if (!number || written.starts_with('0')) return {};
  std::vector<std::string> origins;
  for (const size_t width : widths) {
    const std::string octal = fmt::format("{:0{}o}", *number, width);
    const std::string hexadecimal = fmt::format("{:0{}x}", *number, width);
    // A text with leading zeros is possible only for ids, whose only width is the first one.
    const auto fits = [&](const std::string& text) {
      return text.size() == width && (width == widths.front() || !text.starts_with("00"));
    };
    // Without a leading zero, tools read it as decimal and do not change it.
    if (fits(octal) && octal.starts_with('0')) origins.push_back(octal);
    if (fits(hexadecimal)) origins.push_back("0x" + hexadecimal);
  }
  if (origins.empty()) return {};
  return fmt::format("; a tool that rewrites YAML may have written {} for {}", written,
                     join(origins, " or "));
}

/// The hint for two ids with a colon between, as in lsusb and lspci -n. Empty for any other text.
/// `key`: the key of the condition.
std::string pair_hint(std::string_view written, std::string_view key, bool usb) {
  const auto fields = split(written, ':');
  const auto is_id = [](std::string_view field) {
    const std::string digits = digits_of(field);
    return digits.size() == kIdDigits && is_all(digits, kHexDigits);
  };
  if (fields.size() != 2 || !std::ranges::all_of(fields, is_id)) return {};
  const bool of_board = key.starts_with("subsystem");
  return fmt::format(R"(write each id under its own key: {}: {{{}: "{}", {}: "{}"}})",
                     usb ? "usb" : "pci", of_board ? "subsystemVendor" : "vendor",
                     digits_of(fields[0]),
                     of_board ? "subsystemDevice"
                     : usb    ? "product"
                              : "device",
                     digits_of(fields[1]));
}

/// The hint for a text that is not an id.
std::string id_hint(std::string_view written, std::string_view digits) {
  if (written.find("$(") != std::string_view::npos) {
    return "write only one variable, and it must be an id: $(pci.vendor)";
  }
  constexpr std::array kWidths{kIdDigits};
  const std::string origin = origin_hint(written, kWidths);
  const bool is_short = digits.size() < kIdDigits && !digits.empty() && is_all(digits, kHexDigits);
  if (!is_short && origin.empty()) {
    return R"(write four digits of 0-9 and a-f in quotes, for example "0403")";
  }
  const std::string whole = is_short ? fmt::format(": \"{:0>4}\"", digits) : "";
  return fmt::format("write all four digits in quotes{}{}", whole, origin);
}

/// The hint for a text that is not a class.
std::string class_hint(std::string_view written) {
  constexpr std::array<size_t, 3> kWidths{2, 4, kClassDigits};
  return R"(write two, four or six hex digits in quotes: "03")" + origin_hint(written, kWidths);
}

/// Whether the text is $(usb.…) or $(pci.…) of an id, which have the same form as the facts. Other
/// values have other forms and would never be equal.
bool is_id_variable(std::string_view text) {
  const bool of_hardware = text.starts_with("$(usb.") || text.starts_with("$(pci.");
  return of_hardware && text.ends_with(')') &&
         is_hardware_id(text.substr(2, 3), text.substr(6, text.size() - 7));
}

/// Normalises the texts of one condition.
class IdNormaliser {
 public:
  IdNormaliser(const FactField& field, config::Diagnostics& diagnostics)
      : key_(field.name),
        is_class_(field.name == "class"),
        of_usb_(&field == find_field(info(Fact::usb), field.name)),
        diagnostics_(diagnostics) {}

  bool normalise(config::ConditionSpec& condition);

 private:
  bool normalise_text(std::string& text, const config::Position& at);
  bool check_pattern(const std::string& digits, const config::Position& at);

  std::string_view key_;
  bool is_class_;
  bool of_usb_;
  config::Diagnostics& diagnostics_;
};

bool IdNormaliser::check_pattern(const std::string& digits, const config::Position& at) {
  if (is_all(digits, "0123456789abcdef*?[]!-")) return true;
  diagnostics_.error(at, fmt::format("'{}' cannot match any {}", printable(digits), key_),
                     std::string(kPatternHint));
  return false;
}

bool IdNormaliser::normalise_text(std::string& text, const config::Position& at) {
  if (is_id_variable(text)) return true;
  std::string digits = digits_of(text);
  if (digits.find_first_of("*?[\\") != std::string::npos) {
    text = digits;
    return check_pattern(digits, at);
  }
  const size_t whole = is_class_ ? kClassDigits : kIdDigits;
  const bool beginning = is_class_ && (digits.size() == 2 || digits.size() == 4);
  if (is_all(digits, kHexDigits) && (digits.size() == whole || beginning)) {
    text = beginning ? digits + '*' : digits;
    return true;
  }
  if (is_class_) {
    diagnostics_.error(at, fmt::format("'{}' is not a PCI class", printable(text)),
                       class_hint(text));
  } else {
    std::string meant = pair_hint(text, key_, of_usb_);
    if (meant.empty()) meant = presence_hint(text);
    diagnostics_.error(at, fmt::format("'{}' is not four hex digits", printable(text)),
                       meant.empty() ? id_hint(text, digits) : std::move(meant));
  }
  return false;
}

bool IdNormaliser::normalise(config::ConditionSpec& condition) {
  using Form = config::ConditionSpec::Form;
  if (condition.form == Form::text) return normalise_text(condition.text, condition.at);
  bool good = true;
  for (config::ConditionSpec& operand : condition.list) good = normalise(operand) && good;
  for (config::ConditionSpec& operand : condition.negated) good = normalise(operand) && good;
  for (const auto* bound : {&condition.gt, &condition.ge, &condition.lt, &condition.le}) {
    if (!*bound) continue;
    good = false;
    diagnostics_.error((*bound)->at, fmt::format("a {} is compared as text, not as a number", key_),
                       std::string(kPatternHint));
  }
  return good;
}

}  // namespace

bool is_hardware_id(std::string_view key, std::string_view name) {
  const FactInfo* const fact = find_fact(key);
  const FactField* const field = fact == nullptr ? nullptr : find_field(*fact, name);
  return field != nullptr && field->is_id;
}

bool normalise_ids(const FactField& field, config::ConditionSpec& condition,
                   config::Diagnostics& diagnostics) {
  if (!field.is_id) return true;
  return IdNormaliser(field, diagnostics).normalise(condition);
}

}  // namespace patchbay::rules
