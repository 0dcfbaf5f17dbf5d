#include "rules/never_works.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/address_form.h"
#include "rules/advice.h"
#include "rules/bare_variable.h"
#include "rules/foreign_pattern.h"
#include "rules/foreign_placeholder.h"
#include "rules/hardware_id.h"
#include "rules/literal_path.h"
#include "rules/position.h"
#include "rules/regex_anchors.h"
#include "rules/spec_texts.h"
#include "rules/value_form.h"

namespace patchbay::rules {
namespace {

/// Nobody writes longer ones by hand; they would take long to look at.
constexpr size_t kMostBytes = 1024;

PatternOf pattern_of(const ComparedValue& value) {
  if (value.key == "file") return PatternOf::file;
  const bool written_by_vendors = value.key == "attribute" || value.key == "property" ||
                                  value.key == "env" ||
                                  (value.key == "usb" && value.name == "serial");
  return written_by_vendors ? PatternOf::free : PatternOf::name;
}

/// The first thing that is to be said of a condition, but for what can never match.
std::optional<Advice> advice_of(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  const auto here = value.kind ? Placeholders::condition : Placeholders::none;
  if (auto advice = foreign_placeholder(written, here)) return advice;
  if (auto advice = unlikely_form(value, text)) return advice;
  if (text.form == ComparedText::Form::regex) return half_anchored(written);
  // Every wrong character of an id is a mistake already.
  if (text.form == ComparedText::Form::exact || is_hardware_id(value.key, value.name)) {
    return std::nullopt;
  }
  return foreign_pattern(written, pattern_of(value));
}

Placeholders placeholders_in(TextRole role) {
  switch (role) {
    case TextRole::literal:
    case TextRole::path_pattern:
      return Placeholders::none;
    case TextRole::value:
      return Placeholders::value;
    default:
      return Placeholders::templating;
  }
}

/// The same of any other text.
std::optional<Advice> advice_of(const WrittenText& text) {
  const std::string& written = text.text.value;
  if (auto advice = foreign_placeholder(written, placeholders_in(text.role))) return advice;
  switch (text.role) {
    case TextRole::path_pattern:
      return foreign_pattern(written, PatternOf::path);
    case TextRole::key:
      return bare_variable("by", written, text.kind);
    case TextRole::id:
      return bare_variable("id", written, text.kind);
    case TextRole::device_path:
    case TextRole::mount_path:
    case TextRole::container_path:
    case TextRole::host_path:
      return unlikely_path(written, text.role);
    case TextRole::file_path:
      // These two have been refused.
      if (written.find_first_of("*?") != std::string::npos) return std::nullopt;
      return unlikely_path(written, text.role);
    case TextRole::literal:
    case TextRole::value:
      break;
  }
  return std::nullopt;
}

}  // namespace

void check_what_never_works(const config::Spec& spec, config::Diagnostics& diagnostics) {
  const auto warn = [&](const config::Located<std::string>& text, std::optional<Advice> advice) {
    if (!advice) return;
    diagnostics.warning(inside(text, advice->offset), std::move(advice->message),
                        std::move(advice->hint));
  };
  const auto compared = [&](const ComparedValue& value, const ComparedText& text) {
    if (text.text.value.size() > kMostBytes) return;
    auto fault = address_fault(value, text);
    if (fault && fault->literal) {
      diagnostics.error(text.text.at, std::move(fault->advice.message),
                        std::move(fault->advice.hint));
    } else {
      warn(text.text, fault ? std::optional(std::move(fault->advice)) : advice_of(value, text));
    }
  };
  const auto written = [&](const WrittenText& text) {
    if (text.text.value.size() <= kMostBytes) warn(text.text, advice_of(text));
  };
  visit_texts(spec, {.compared = compared, .written = written});
}

}  // namespace patchbay::rules
