#include <algorithm>

#include <fmt/format.h>

#include "rules/lint/text_advice.h"
#include "rules/text/variable.h"

namespace patchbay::rules {
namespace {

/// The text without a leading `ancestor.SUBSYSTEM.`.
std::string_view of_one_device(std::string_view text) {
  if (!text.starts_with(kAncestorPrefix)) return text;
  const size_t dot = text.find('.', kAncestorPrefix.size());
  return dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
}

}  // namespace

bool names_variable(std::string_view text, std::optional<RuleKind> kind) {
  text = of_one_device(text);
  const size_t dot = text.find('.');
  const VariableInfo* const variable = find_variable(text.substr(0, dot));
  if (variable == nullptr || (kind && !variable->known_in.contains(*kind))) return false;
  if (!variable->has_argument) return dot == std::string_view::npos;
  if (dot == std::string_view::npos || dot + 1 == text.size()) return false;
  const auto is_meant = [&](const FactField& field) {
    return field.name == text.substr(dot + 1) && !field.about.empty();
  };
  return variable->arguments().empty() || std::ranges::any_of(variable->arguments(), is_meant);
}

std::optional<Advice> bare_variable(std::string_view key, std::string_view text,
                                    std::optional<RuleKind> kind) {
  // $(node) and $(resource) are also the same text for all devices.
  if (text == "node" || text == "resource" || !names_variable(text, kind)) return std::nullopt;
  const std::string_view outcome =
      key == "id" ? "units with the same id are not offered" : "all devices make one unit";
  return Advice{
      .message = fmt::format("'{}: {}' is the same text for every device: {}", key, text, outcome),
      .hint = fmt::format("the value of the device is $({})", text)};
}

}  // namespace patchbay::rules
