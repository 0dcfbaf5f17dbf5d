#include "cli/options/help_text.h"

#include <algorithm>

#include "base/charset.h"
#include "base/text.h"

namespace patchbay::cli {
namespace {

constexpr size_t kWidth = 80;

std::vector<std::string> wrap(const std::string& text, size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string format_entry(const HelpText::Entry& entry, size_t column) {
  std::string out = entry.word + std::string(column - entry.word.size(), ' ');
  std::string margin;
  for (const std::string& line : wrap(entry.meaning, kWidth - column)) {
    out += margin + line + '\n';
    margin = std::string(column, ' ');
  }
  return out;
}

std::string format_section(const HelpText::Section& section) {
  size_t column = 0;
  for (const auto& entry : section.entries) column = std::max(column, entry.word.size() + 2);
  std::string out = "\n" + section.title + ":\n";
  for (const auto& entry : section.entries) out += format_entry(entry, column);
  return out;
}

}  // namespace

std::string format_help(const HelpText& help) {
  std::string out = help.summary + "\n\nUsage: " + help.usage + "\n";
  for (const auto& section : help.sections) out += format_section(section);
  if (!help.footer.empty()) out += "\n" + help.footer;
  return to_locale(std::move(out));
}

}  // namespace patchbay::cli
