#include "rules/text/text_hint.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/kernel_names.h"

namespace patchbay::rules {
namespace {

constexpr const char* kCdiHint =
    "write VENDOR/CLASS=DEVICE, for example nvidia.com/gpu=$(id): letters, digits, '.', '_', '-', "
    "and in DEVICE ':'";
constexpr const char* kAddressHint =
    "write for example 192.0.2.7:5025, [2001:db8::7]:5025 or $(name):5025";
constexpr const char* kEnvNameHint =
    "write letters, digits and '_', without a digit at the beginning";
constexpr const char* kAnnotationNameHint =
    "write letters, digits, '.', '_' and '-', for example lab.example.com/bench";

/// Syntax of other regex engines that RE2 does not have.
struct UnsupportedSyntax {
  std::string_view syntax;
  std::string_view hint;
};

constexpr std::string_view kNoLookaround =
    "RE2 has no lookahead or lookbehind: to exclude values write not: beside regex:, as in {regex: "
    "'ttyS.*', not: ttyS0}";
constexpr std::string_view kNoBackreference =
    "RE2 has no backreferences: write out the text that can follow";
constexpr std::string_view kNamed = "write named groups as (?P<name>…)";

/// The first row that the expression contains applies.
constexpr std::array kUnsupportedSyntax{
    UnsupportedSyntax{"(?!", kNoLookaround},
    UnsupportedSyntax{"(?<!", kNoLookaround},
    UnsupportedSyntax{"(?=", kNoLookaround},
    UnsupportedSyntax{"(?<=", kNoLookaround},
    UnsupportedSyntax{"(?P=", kNoBackreference},
    UnsupportedSyntax{"\\1", kNoBackreference},
    UnsupportedSyntax{"\\2", kNoBackreference},
    UnsupportedSyntax{"\\k<", kNoBackreference},
    UnsupportedSyntax{"(?<", kNamed},
    UnsupportedSyntax{"(?'", kNamed},
    UnsupportedSyntax{"(?>", "RE2 does not have atomic groups and does not need them: write (?:…)"},
    UnsupportedSyntax{"\\Z", "the whole value is compared: remove it"},
};

std::string address_hint(std::string_view written) {
  if (const size_t scheme = written.find("://"); scheme != std::string_view::npos) {
    return fmt::format("an address is not a URL: remove '{}'",
                       printable(written.substr(0, scheme + 3), kMaxShown));
  }
  return written.contains(':') ? kAddressHint
                               : fmt::format("the port is missing: {}", kAddressHint);
}

}  // namespace

std::string text_hint(std::string_view written, TextUse use) {
  switch (use) {
    case TextUse::path:
      return kPathHint;
    case TextUse::address:
      return address_hint(written);
    case TextUse::cdi_name:
      return kCdiHint;
    case TextUse::quantity:
      return "write for example 4, 1Gi or 0x10";
    case TextUse::id:
    case TextUse::key:
      return "write a variable that differs between units, for example $(usb.serial) or $(name)";
    case TextUse::pattern:
    case TextUse::regex:
    case TextUse::comparand:
      return "write the text to compare with; no value is empty";
    default:
      return literal_hint(use);
  }
}

std::string literal_hint(TextUse use) {
  if (use == TextUse::env_name) return kEnvNameHint;
  if (use == TextUse::annotation_name) return kAnnotationNameHint;
  return "remove it: in double quotes '\\' begins an escape";
}

std::string regex_hint(std::string_view regex) {
  constexpr std::string_view kSyntax =
      "the syntax is RE2's: https://github.com/google/re2/wiki/Syntax";
  if (regex.starts_with('*')) {
    return fmt::format("'*' repeats the text before it; write '.*' for any text; {}", kSyntax);
  }
  const auto* const found = std::ranges::find_if(
      kUnsupportedSyntax,
      [&](const UnsupportedSyntax& syntax) { return regex.contains(syntax.syntax); });
  return found == kUnsupportedSyntax.end() ? std::string(kSyntax)
                                           : fmt::format("{}; {}", found->hint, kSyntax);
}

std::string presence_hint(std::string_view text) {
  constexpr std::string_view kPresent = "Exists exists Present any";
  constexpr std::string_view kAbsent =
      "DoesNotExist NotExists absent none None null nil unbound missing";
  if (contains_word(kAbsent, text)) return "for an absent value write {exists: false}";
  return contains_word(kPresent, text) ? "for any value write {exists: true}" : "";
}

}  // namespace patchbay::rules
