#include <string>
#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "rules/lint/text_advice.h"

namespace patchbay::rules {
namespace {

/// A regular expression without a `.*` at its ends.
std::string_view without_any_text(std::string_view regex) {
  constexpr std::string_view kAnyText = ".*";
  if (regex.starts_with('^')) regex.remove_prefix(1);
  if (regex.ends_with('$')) regex.remove_suffix(1);
  if (regex.starts_with(kAnyText)) regex.remove_prefix(kAnyText.size());
  if (regex.ends_with(kAnyText)) regex.remove_suffix(kAnyText.size());
  return regex;
}

}  // namespace

std::optional<Advice> multiline_file_advice(const ComparedValue& value, const ComparedText& text) {
  constexpr const char* kLongFile =
      R"(/proc/(?:\d+/|self/)?(?:cpuinfo|modules|mounts|devices|swaps|meminfo|cmdline|version|)"
      R"(filesystems|interrupts|partitions|iomem|ioports|misc|config)|/etc/(?:os-release|fstab|)"
      R"(hosts|passwd|group))";
  if (value.key != "file" ||
      !re2::RE2::FullMatch(re2::StringPiece(value.name.data(), value.name.size()), kLongFile)) {
    return std::nullopt;
  }
  const std::string& written = text.text.value;
  const bool regex = text.form == ComparedText::Form::regex;
  if (regex && !re2::RE2(written, re2::RE2::Quiet).ok()) return std::nullopt;
  // Whether the expression can match the end of a line.
  const bool goes_on =
      regex && (written.contains("(?s") || written.contains("\\s") || written.contains("\\n") ||
                written.contains("[^") || written.contains("[\\"));
  const bool wild = !regex && written.find_first_of("*?[") != std::string::npos;
  if (goes_on || (wild && text.form == ComparedText::Form::glob)) return std::nullopt;
  return Advice{
      .message = fmt::format("'{}' is compared with the whole content of {}, which is longer",
                             written, value.name),
      .hint = regex
                  ? fmt::format("write '(?s).*{}.*': with (?s) '.' also matches the end of a line",
                                without_any_text(written))
                  : fmt::format("write \"*{}*\"", written)};
}

}  // namespace patchbay::rules
