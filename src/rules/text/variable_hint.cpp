#include "rules/text/variable_hint.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "config/foreign_words.h"

namespace patchbay::rules {
namespace {

constexpr std::array kForeign{
    ForeignVariable{"attr attrs", "attribute"},  ForeignVariable{"udev env", "property"},
    ForeignVariable{"kernel", "name"},           ForeignVariable{"devname tempnode", "devnode"},
    ForeignVariable{"devpath", "syspath"},       ForeignVariable{"symlink links", "link.by-id"},
    ForeignVariable{"serial", "usb.serial"},     ForeignVariable{"idVendor", "usb.vendor"},
    ForeignVariable{"idProduct", "usb.product"}, ForeignVariable{"nodeName", "node"},
};

const ForeignVariable* find_foreign(std::string_view word) {
  const std::string sought = config::normalise_word(word);
  const auto* const found = std::ranges::find_if(kForeign, [&](const ForeignVariable& foreign) {
    const auto words = split(foreign.words, ' ');
    return std::ranges::any_of(
        words, [&](std::string_view w) { return config::normalise_word(w) == sought; });
  });
  return found == kForeign.end() ? nullptr : found;
}

/// Whether it has the form of udev's properties: ID_SERIAL_SHORT.
bool is_property_name(std::string_view name) {
  return name.contains('_') &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
}

}  // namespace

std::span<const ForeignVariable> foreign_variables() { return kForeign; }

std::string suggest_variable(std::string_view name) {
  const size_t dot = std::min(name.find('.'), name.size());
  if (const auto* const whole = find_foreign(name)) return std::string(whole->replacement);
  if (const auto* const foreign = find_foreign(name.substr(0, dot))) {
    const bool takes = !foreign->replacement.contains('.');
    return fmt::format("{}{}", foreign->replacement, takes ? name.substr(dot) : "");
  }
  if (is_property_name(name)) return fmt::format("property.{}", name);
  return {};
}

std::string lone_dollar_hint(std::string_view text) {
  static const re2::RE2 of_others(R"(\$(attr|env)?\{?([A-Za-z_]\w*).*)");
  std::string kind;
  std::string word;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), of_others, &kind, &word)) {
    return "write variables as $(name), and '$$' for a literal '$'";
  }
  const std::string meant = suggest_variable(kind.empty() ? word : kind + "." + word);
  return fmt::format("write $({}); for a literal '$' write '$$'",
                     meant.empty() ? (find_variable(word) ? word : "name") : meant);
}

std::string example_of(const VariableInfo& variable) {
  return fmt::format("{}.{}", variable.word, variable.example);
}

}  // namespace patchbay::rules
