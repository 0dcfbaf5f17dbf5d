#include "rules/text/text_use.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "rules/text/number.h"

namespace patchbay::rules {
namespace {

constexpr size_t kMaxPathLength = 4095;      ///< PATH_MAX without the NUL.
constexpr size_t kMaxComponentLength = 255;  ///< NAME_MAX.
constexpr size_t kHashDigits = 10;
constexpr std::string_view kWildcards = R"(*?[\)";

/// The characters, besides letters and digits, that a name of this use can contain.
std::string_view punctuation(TextUse use) {
  switch (use) {
    case TextUse::id:
      return "._:-";
    case TextUse::env_name:
      return "_";
    case TextUse::annotation_name:
      return "._-";
    default:
      return "";
  }
}

/// Replaces each character that is not allowed with one `_`.
std::string replace_unsafe(std::string_view text, std::string_view allowed) {
  std::string out;
  for (const char c : text) {
    if (is_alphanumeric(c) || allowed.find(c) != std::string_view::npos) {
      out += c;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      out += '_';
    }
  }
  return out;
}

Result<std::string> finished_id(const std::string& text) {
  std::string id = replace_unsafe(text, punctuation(TextUse::id));
  if (id.empty()) return fail("is empty");
  if (id.size() <= kMaxIdLength) return id;
  return id.substr(0, kMaxIdLength - kHashDigits - 1) + '-' + stable_hash_hex(text, kHashDigits);
}

Result<std::string> finished_quantity(std::string text) {
  const auto number = parse_bound(text);
  if (number && *number > 0) return text;
  return fail(fmt::format("gives \"{}\", which is not a number above 0", printable(text)));
}

Result<std::string> path_component(const VariableRef& ref, std::string value) {
  if (info(ref).whole_path) {
    if (const auto fault = path_fault(value)) {
      return fail(fmt::format("{} is \"{}\", which {}", ref.to_text(), printable(value), *fault));
    }
    return value;
  }
  if (value.find('/') != std::string::npos || value == "." || value == "..") {
    return fail(fmt::format("{} is \"{}\", which cannot be a component of a path", ref.to_text(),
                            printable(value)));
  }
  return value;
}

}  // namespace

bool is_of_condition(TextUse use) {
  return use == TextUse::pattern || use == TextUse::regex || use == TextUse::comparand;
}

bool has_escapes(TextUse use) { return use == TextUse::pattern || use == TextUse::regex; }

std::string escape_literal(std::string_view text, TextUse use) {
  // A group: in `$(name)+` the whole value is repeated.
  if (use == TextUse::regex) {
    return fmt::format("(?:{})", re2::RE2::QuoteMeta({text.data(), text.size()}));
  }
  if (use != TextUse::pattern) return std::string(text);
  std::string out;
  for (const char c : text) {
    if (kWildcards.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::optional<std::string> fallback_fault(std::string_view literal, TextUse use) {
  if (!has_escapes(use)) return std::nullopt;
  const size_t special =
      literal.find_first_of(use == TextUse::pattern ? kWildcards : R"(\^$|?*+()[]{})");
  if (special == std::string_view::npos) return std::nullopt;
  return fmt::format("'{}' has no meaning in the fallback of an absent value", literal[special]);
}

std::string shorten_id(const std::string& id, size_t most) {
  if (id.size() <= most) return id;
  return id.substr(0, most - kHashDigits - 1) + '-' + stable_hash_hex(id, kHashDigits);
}

std::optional<std::string> path_fault(std::string_view path) {
  if (!path.starts_with('/')) return "does not begin with '/'";
  if (has_control_character(path)) return "contains a control character";
  if (path.size() > kMaxPathLength) return "is too long for a path";
  for (const std::string_view component : split(path.substr(1), '/')) {
    if (component.empty()) return path.ends_with('/') ? "ends in '/'" : "contains '//'";
    if (component == "." || component == "..") return fmt::format("contains '{}'", component);
    if (component.size() > kMaxComponentLength)
      return "contains a name that is too long for a file";
  }
  return std::nullopt;
}

std::optional<std::string> cdi_name_fault(std::string_view name) {
  const size_t slash = name.find('/');
  const size_t equals = name.find('=');
  if (slash == std::string_view::npos || equals == std::string_view::npos || equals < slash) {
    return "is not VENDOR/CLASS=DEVICE";
  }
  const auto fits = [](std::string_view component, std::string_view position_in, bool digit_first) {
    const auto inner = [&](char c) {
      return is_alphanumeric(c) || position_in.find(c) != std::string_view::npos;
    };
    return !component.empty() && is_alphanumeric(component.front()) &&
           is_alphanumeric(component.back()) && (digit_first || !is_digit(component.front())) &&
           std::ranges::all_of(component, inner);
  };
  if (!fits(name.substr(0, slash), "_.-", false)) return "has a bad vendor before the '/'";
  if (!fits(name.substr(slash + 1, equals - slash - 1), "_.-", false)) {
    return "has a bad class between '/' and '='";
  }
  if (!fits(name.substr(equals + 1), "_.:-", true)) return "has a bad device after the '='";
  return std::nullopt;
}

std::optional<Address> parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']') && host.size() > 2) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return std::nullopt;
  }
  if (host.find_first_of(" /%") != std::string_view::npos) return std::nullopt;
  const auto port = parse_whole<uint16_t>(digits);
  if (!port || *port == 0) return std::nullopt;
  return Address{std::string(host), *port};
}

std::optional<std::string> literal_fault(std::string_view literal, TextUse use) {
  if (is_of_condition(use)) return std::nullopt;
  if (use == TextUse::value || use == TextUse::argument) {
    if (literal.find('\0') == std::string_view::npos) return std::nullopt;
    return "a NUL cannot be passed to a container";
  }
  if (has_control_character(literal)) return "control characters are not allowed here";
  if (use != TextUse::env_name && use != TextUse::annotation_name) return std::nullopt;
  const bool annotation = use == TextUse::annotation_name;
  for (const char c : literal) {
    if (is_alphanumeric(c) || c == '_') continue;
    if (annotation && std::string_view(".-/").find(c) != std::string_view::npos) continue;
    return fmt::format("'{}' is not allowed in the name of an {}", printable(std::string(1, c)),
                       annotation ? "annotation" : "environment variable");
  }
  return std::nullopt;
}

Result<std::string> safe_value(const VariableRef& ref, std::string value, TextUse use, bool first) {
  if (!is_utf8(value) || has_control_character(value)) {
    return fail(fmt::format("{} is \"{}\", which contains {}", ref.to_text(), printable(value),
                            is_utf8(value) ? "a control character" : "bytes that are not UTF-8"));
  }
  if (is_of_condition(use)) return escape_literal(value, use);
  if (use == TextUse::path) return path_component(ref, std::move(value));
  if (use == TextUse::argument && first && value.starts_with('-')) {
    return fail(fmt::format("{} is \"{}\", which a program would read as an option", ref.to_text(),
                            printable(value)));
  }
  if (use == TextUse::cdi_name) return replace_unsafe(value, punctuation(TextUse::id));
  if (use == TextUse::env_name || use == TextUse::annotation_name) {
    return replace_unsafe(value, punctuation(use));
  }
  return value;
}

Result<std::string> finish_text(std::string text, TextUse use) {
  switch (use) {
    case TextUse::id:
      return finished_id(text);
    case TextUse::path:
      if (const auto fault = path_fault(text)) {
        return fail(fmt::format("gives \"{}\", which {}", printable(text), *fault));
      }
      return text;
    case TextUse::env_name:
      if (text.empty()) return fail("is empty");
      if (is_digit(text.front())) {
        return fail(fmt::format("gives \"{}\", which begins with a digit", printable(text)));
      }
      return text;
    case TextUse::annotation_name:
      if (text.empty()) return fail("is empty");
      return text;
    case TextUse::value:
      return text;
    case TextUse::key:
    case TextUse::pattern:
    case TextUse::regex:
    case TextUse::comparand:
      if (text.empty()) return fail("is empty");
      return text;
    case TextUse::argument:
      return text;
    case TextUse::address:
      if (parse_address(text)) return text;
      return fail(fmt::format("gives \"{}\", which is not HOST:PORT", printable(text)));
    case TextUse::cdi_name:
      if (const auto fault = cdi_name_fault(text)) {
        return fail(fmt::format("gives \"{}\", which {}", printable(text), *fault));
      }
      return text;
    case TextUse::quantity:
      return finished_quantity(std::move(text));
  }
  return text;
}

}  // namespace patchbay::rules
