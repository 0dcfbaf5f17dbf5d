#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "config/choices.h"
#include "rules/lint/spec_texts.h"
#include "rules/lint/text_advice.h"
#include "rules/lint/warnings.h"
#include "rules/match/hardware_id.h"
#include "rules/match/matcher.h"
#include "rules/text/kernel_names.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

/// Longer texts are not written by hand, and checking them would take long.
constexpr size_t kMaxTextBytes = 1024;

/// The first advice for a condition.
std::optional<Advice> advice_of(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  auto shape = value_shape_advice(value, text);
  if (shape && shape->mistake) return shape;
  const auto here = value.kind ? PlaceholderSyntax::condition : PlaceholderSyntax::none;
  if (auto advice = foreign_placeholder(written, here)) return advice;
  if (auto advice = regex_as_glob(value, text)) return advice;
  if (auto advice = unlikely_form(value, text)) return advice;
  if (auto advice = kernel_name_advice(value, text)) return advice;
  if (shape) return shape;
  if (text.form == ComparedText::Form::regex) return half_anchored(written);
  // A wrong character of an id is already a mistake.
  if (is_hardware_id(value.key, value.name)) return std::nullopt;
  return value.key == "file" ? std::nullopt : foreign_pattern(written);
}

PlaceholderSyntax placeholder_syntax_of(TextRole role) {
  switch (role) {
    case TextRole::literal:
    case TextRole::static_name:
    case TextRole::attribute_name:
    case TextRole::property_name:
    case TextRole::path_pattern:
      return PlaceholderSyntax::none;
    default:
      return PlaceholderSyntax::text;
  }
}

/// Advice for any other text.
std::optional<Advice> advice_of(const WrittenText& text) {
  const std::string& written = text.text.value;
  if (auto advice = foreign_placeholder(written, placeholder_syntax_of(text.role))) return advice;
  if (auto advice = variable_name_advice(written, text.device)) return advice;
  switch (text.role) {
    case TextRole::attribute_name:
      return attribute_name_advice(written, text.device);
    case TextRole::property_name:
      return property_name_advice(written);
    case TextRole::path_pattern:
      return foreign_pattern(written);
    case TextRole::key:
      return bare_variable("by", written, text.kind);
    case TextRole::id:
      return bare_variable("id", written, text.kind);
    case TextRole::mount_path:
      if (auto advice = unlikely_path(written, text.role)) return advice;
      return mounted_nodes(written);
    case TextRole::device_path:
    case TextRole::container_path:
    case TextRole::host_path:
      return unlikely_path(written, text.role);
    case TextRole::file_path:
      // These two characters are already rejected.
      if (written.find_first_of("*?") != std::string::npos) return std::nullopt;
      return unlikely_path(written, text.role);
    case TextRole::literal:
    case TextRole::static_name:
    case TextRole::value:
      break;
  }
  return std::nullopt;
}

}  // namespace

void check_ineffective_texts(const config::Spec& spec, config::Diagnostics& diagnostics) {
  const auto report = [&](const config::Located<std::string>& text, std::optional<Advice> advice) {
    if (!advice) return;
    const auto at = position_in(text, advice->offset);
    if (advice->mistake) {
      diagnostics.error(at, std::move(advice->message), std::move(advice->hint));
    } else {
      diagnostics.warning(at, std::move(advice->message), std::move(advice->hint));
    }
  };
  const auto compared = [&](const ComparedValue& value, const ComparedText& text) {
    if (text.text.value.size() <= kMaxTextBytes) report(text.text, advice_of(value, text));
  };
  const auto written = [&](const WrittenText& text) {
    if (text.text.value.size() <= kMaxTextBytes) report(text.text, advice_of(text));
  };
  visit_texts(spec, {.compared = compared, .written = written});
  if (!diagnostics.ok()) return;
  for (const config::ResourceSpec& resource : spec.resources) {
    for (const config::GroupSpec& group : resource.groups) warn_of_group(group, diagnostics);
  }
}

}  // namespace patchbay::rules
