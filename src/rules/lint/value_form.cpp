#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"

namespace patchbay::rules {
namespace {

/// A name is the last component of a path. Static names are any texts.
std::optional<Advice> path_as_name(const ComparedValue& value, const ComparedText& text) {
  std::string_view path = text.text.value;
  if (text.form == ComparedText::Form::regex && path.starts_with('^')) path.remove_prefix(1);
  if (value.key != "name" || value.kind == RuleKind::static_name || !path.starts_with('/')) {
    return std::nullopt;
  }
  const bool of_glob = value.kind == RuleKind::glob;
  const std::string_view whole = of_glob ? "path" : path.starts_with("/dev/") ? "devnode" : "";
  const auto written = [&](std::string_view meant) {
    return text.form == ComparedText::Form::regex ? fmt::format("{{regex: '{}'}}", meant)
                                                  : std::string(meant);
  };
  return Advice{
      .message = fmt::format("'{}' never matches: a name has no directories", text.text.value),
      .hint = fmt::format("write name: {}{}", written(base_name(path)),
                          whole.empty() ? "" : fmt::format(", or {}: {}", whole, written(path)))};
}

/// Some kernel names contain a slash, which /sys writes as '!'.
std::optional<Advice> name_as_in_sysfs(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  const size_t at = written.find('!');
  const bool exact = text.form != ComparedText::Form::regex;
  if (value.key != "name" || value.kind != RuleKind::subsystem || !exact || at == 0 ||
      at == std::string::npos || written[at - 1] == '[' || written[at - 1] == '\\') {
    return std::nullopt;
  }
  std::string name = written;
  name[at] = '/';
  return Advice{.offset = at,
                .message = fmt::format(
                    "'{}' never matches: /sys writes '!' for the '/' in a kernel name", written),
                .hint = fmt::format("write name: {}", name)};
}

/// sysfs writes MAC addresses in lower case with colons.
std::optional<Advice> mac_with_capitals(const ComparedValue& value, const ComparedText& text) {
  static const re2::RE2 with_colons(R"((?:^|[^0-9A-Za-z])((?:[0-9A-Fa-f]{2}:)+[0-9A-Fa-f]{0,2}))");
  static const re2::RE2 with_dashes(R"(((?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}))");
  const std::string& written = text.text.value;
  const bool folded = text.form == ComparedText::Form::regex && written.starts_with("(?i");
  if (value.key != "attribute" || base_name(value.name) != "address" || folded) {
    return std::nullopt;
  }
  std::string address;
  const bool dashes = re2::RE2::FullMatch(written, with_dashes, &address);
  if (!dashes && !re2::RE2::PartialMatch(written, with_colons, &address)) return std::nullopt;
  std::string small = lower_case(address);
  if (!dashes && small == address) return std::nullopt;
  std::ranges::replace(small, '-', ':');
  return Advice{
      .offset = written.find(address),
      .message = fmt::format(
          "'{}' never matches: the kernel writes addresses in lower case, with colons", written),
      .hint = fmt::format("write \"{}\"", std::string(written).replace(written.find(address),
                                                                       address.size(), small))};
}

}  // namespace

std::optional<Advice> unlikely_form(const ComparedValue& value, const ComparedText& text) {
  if (auto advice = path_as_name(value, text)) return advice;
  if (auto advice = name_as_in_sysfs(value, text)) return advice;
  return mac_with_capitals(value, text);
}

}  // namespace patchbay::rules
