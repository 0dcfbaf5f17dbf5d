#include "rules/match/hardware_id.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"

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
      : key_(field.name), is_class_(field.name == "class"), diagnostics_(diagnostics) {}

  bool normalise(config::ConditionSpec& condition);

 private:
  bool normalise_text(std::string& text, const config::Position& at);
  bool check_pattern(const std::string& digits, const config::Position& at);

  std::string_view key_;
  bool is_class_;
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
  diagnostics_.error(
      at,
      fmt::format("'{}' is not {}", printable(text), is_class_ ? "a PCI class" : "four hex digits"),
      is_class_ ? "write two, four or six hex digits in quotes: \"03\""
                : "write four digits of 0-9 and a-f in quotes, for example \"0403\"");
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
