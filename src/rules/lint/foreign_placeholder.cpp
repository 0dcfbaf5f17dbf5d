#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/variable_hint.h"

namespace patchbay::rules {
namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Advice not_replaced(size_t offset, std::string_view whole, std::string hint) {
  return {.offset = offset,
          .message = fmt::format("'{}' is not replaced: it stays in the text", printable(whole)),
          .hint = std::move(hint)};
}

std::string shell_hint(std::string_view name, PlaceholderSyntax here) {
  constexpr const char* kSubstituted =
      "replace it before Patchbay reads the file: envsubst < FILE | patchbay validate -";
  if (here == PlaceholderSyntax::none) return kSubstituted;
  if (name == "NODE_NAME" || name == "node") return "to select nodes write when: {node: …}";
  const VariableInfo* const variable = find_variable(name.substr(0, name.find('.')));
  const bool known = variable != nullptr && variable->known_from == RenderStage::matching &&
                     names_variable(name, std::nullopt);
  return known ? fmt::format("write variables as $({})", name) : kSubstituted;
}

/// The first `${NAME…}`.
std::optional<Advice> find_shell(std::string_view text, PlaceholderSyntax here) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    const std::string_view rest = text.substr(at + 2);
    const size_t end = rest.find('}');
    const bool doubled = at > 0 && text[at - 1] == '$';
    if (doubled || end == std::string_view::npos || rest.empty() || !begins_name(rest.front())) {
      continue;
    }
    const std::string_view inner = rest.substr(0, end);
    const std::string_view name = inner.substr(0, inner.find_first_of(":-+?=#%/"));
    return not_replaced(at, text.substr(at, end + 3), shell_hint(name, here));
  }
  return std::nullopt;
}

/// A substitution of udev's rules and its replacement here.
struct Substitution {
  std::string_view written;  ///< Text up to the brace, if the substitution has a name.
  std::string_view variable;
};
constexpr std::array kSubstitutions{Substitution{"%E{", "property."},
                                    Substitution{"%s{", "attribute."}, Substitution{"%k", "name"}};

/// The first substitution of udev.
std::optional<Advice> find_udev(std::string_view text) {
  for (const Substitution& known : kSubstitutions) {
    const size_t at = text.find(known.written);
    if (at == std::string_view::npos || (at > 0 && text[at - 1] == '%')) continue;
    const bool named = known.written.ends_with('{');
    const size_t begin = at + known.written.size();
    const size_t end = named ? text.find('}', begin) : begin;
    if (end == std::string_view::npos) continue;
    if (!named && begin < text.size() && begins_name(text[begin])) continue;
    const std::string_view name = text.substr(begin, end - begin);
    const std::string meant = known.variable == "attribute." ? suggest_variable(name) : "";
    return not_replaced(at, text.substr(at, end + (named ? 1 : 0) - at),
                        meant.starts_with("usb.")
                            ? fmt::format("write $({})", meant)
                            : fmt::format("write $({}{})", known.variable, printable(name)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Advice> foreign_placeholder(std::string_view text, PlaceholderSyntax here) {
  return here == PlaceholderSyntax::text ? find_udev(text) : find_shell(text, here);
}

}  // namespace patchbay::rules
