#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/variable_hint.h"

namespace patchbay::rules {
namespace {

constexpr std::string_view kRendered =
    "the template is not rendered: run helm template … | patchbay validate -";
constexpr std::string_view kSubstituted =
    "replace it before Patchbay reads the file: envsubst < FILE | patchbay validate -";

/// A placeholder found in a text.
struct FoundPlaceholder {
  size_t offset = 0;
  std::string_view whole;
  std::string_view name;
};

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The first `${NAME…}`.
std::optional<FoundPlaceholder> find_shell(std::string_view text) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    const std::string_view rest = text.substr(at + 2);
    const size_t end = rest.find('}');
    const bool doubled = at > 0 && text[at - 1] == '$';
    if (doubled || end == std::string_view::npos || rest.empty() || !begins_name(rest.front())) {
      continue;
    }
    const std::string_view inner = rest.substr(0, end);
    return FoundPlaceholder{at, text.substr(at, end + 3),
                            inner.substr(0, inner.find_first_of(":-+?=#%/"))};
  }
  return std::nullopt;
}

/// Whether the text begins with an object of every Helm template.
bool is_of_helm(std::string_view inner) {
  constexpr std::array<std::string_view, 6> kObjects{".Values", ".Release",      ".Chart",
                                                     ".Files",  ".Capabilities", ".Template"};
  return std::ranges::any_of(kObjects,
                             [&](std::string_view object) { return inner.starts_with(object); });
}

/// The first `{{ … }}`, of Helm and similar tools. In `values`, only if no other program uses the
/// syntax.
std::optional<FoundPlaceholder> find_rendered(std::string_view text, bool values) {
  const size_t at = text.find("{{");
  if (at == std::string_view::npos) return std::nullopt;
  const size_t end = text.find("}}", at + 2);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view name = text.substr(at + 2, end - at - 2);
  name.remove_prefix(std::min(name.find_first_not_of(" -"), name.size()));
  if (values && name.starts_with('.') && !is_of_helm(name)) return std::nullopt;
  name.remove_prefix(std::min(name.find_first_not_of('.'), name.size()));
  name = name.substr(0, name.find_first_of(" -|"));
  return FoundPlaceholder{at, text.substr(at, end + 2 - at), name};
}

std::optional<std::string> variable_hint(std::string_view name, PlaceholderSyntax here) {
  if (here == PlaceholderSyntax::none) return std::nullopt;
  const bool of_node = name == "NODE_NAME" || name == "node";
  if (here == PlaceholderSyntax::condition) {
    if (of_node) return "to select nodes write when: {node: …}";
    const VariableInfo* const variable = find_variable(name.substr(0, name.find('.')));
    const bool known = variable != nullptr && variable->known_from == RenderStage::matching;
    if (!known) return std::nullopt;
  } else if (of_node) {
    return "write $(node) for the name of the node";
  }
  if (!names_variable(name, std::nullopt)) return std::nullopt;
  return fmt::format("write variables as $({})", name);
}

Advice advice(const FoundPlaceholder& found, PlaceholderSyntax here, std::string_view otherwise) {
  const auto own = variable_hint(found.name, here);
  return {
      .offset = found.offset,
      .message = fmt::format("'{}' is not replaced: it stays in the text", printable(found.whole)),
      .hint = own.value_or(std::string(otherwise))};
}

/// A substitution of udev's rules and its replacement here.
struct Substitution {
  std::string_view written;  ///< Text up to the brace, if the substitution has a name.
  std::string_view variable;
  bool anywhere = true;  ///< Also in values, where other programs use such texts.
};
constexpr std::array kSubstitutions{
    Substitution{"%E{", "property."},  Substitution{"%s{", "attribute."},
    Substitution{"%k", "name"},        Substitution{"%N", "devnode", false},
    Substitution{"%n", "slot", false}, Substitution{"%p", "syspath", false},
    Substitution{"%b", "name", false}};

/// The first substitution of udev.
std::optional<Advice> find_udev(std::string_view text, bool values) {
  for (const Substitution& known : kSubstitutions) {
    const size_t at = text.find(known.written);
    if (at == std::string_view::npos || (values && !known.anywhere)) continue;
    if (at > 0 && text[at - 1] == '%') continue;
    const bool named = known.written.ends_with('{');
    const size_t begin = at + known.written.size();
    const size_t end = named ? text.find('}', begin) : begin;
    if (end == std::string_view::npos) continue;
    if (!named && begin < text.size() && begins_name(text[begin])) continue;
    const std::string_view name = text.substr(begin, end - begin);
    const std::string meant = known.variable == "attribute." ? suggest_variable(name) : "";
    return Advice{.offset = at,
                  .message = fmt::format("'{}' is not replaced: it stays in the text",
                                         printable(text.substr(at, end + (named ? 1 : 0) - at))),
                  .hint = meant.starts_with("usb.")
                              ? fmt::format("write $({})", meant)
                              : fmt::format("write $({}{})", known.variable, printable(name))};
  }
  return std::nullopt;
}

/// A fallback after the parentheses: $(usb.serial):-none, $(usb.serial:-$(usb.port):-none).
std::optional<Advice> find_outer_fallback(std::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("$(")) ++depth;
    if (depth == 0 || text[i] != ')') continue;
    --depth;
    if (!text.substr(i + 1).starts_with(":-")) continue;
    return Advice{
        .offset = i + 1,
        .message = "':-' stays in the text: the parentheses of the variable end before it",
        .hint =
            "write the fallback inside the parentheses: $(usb.serial:-none), "
            "$(usb.serial:-$(usb.port:-none))"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Advice> foreign_placeholder(std::string_view text, PlaceholderSyntax here) {
  const bool values = here == PlaceholderSyntax::value;
  if (const auto found = find_rendered(text, values)) return advice(*found, here, kRendered);
  if (values || here == PlaceholderSyntax::templating) {
    if (auto found = find_udev(text, values)) return found;
    if (auto found = find_outer_fallback(text)) return found;
  }
  if (values || here == PlaceholderSyntax::templating) return std::nullopt;
  if (const auto found = find_shell(text)) return advice(*found, here, kSubstituted);
  return std::nullopt;
}

}  // namespace patchbay::rules
