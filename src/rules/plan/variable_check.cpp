#include "rules/plan/variable_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/foreign_words.h"
#include "config/keys.h"
#include "rules/text/attribute_name.h"
#include "rules/text/position.h"
#include "rules/text/text_hint.h"
#include "rules/text/variable_hint.h"

namespace patchbay::rules {
namespace {

std::string_view since(RenderStage stage) {
  switch (stage) {
    case RenderStage::matching:
      return "";
    case RenderStage::grouping:
      return "after the device matches";
    case RenderStage::identity:
      return "after the unit is complete";
    case RenderStage::sharing:
      return "after the id is known";
    case RenderStage::allocation:
      return "when a container gets the unit";
  }
  return "";
}

}  // namespace

void VariableChecker::error(size_t offset, std::string message, std::string hint) {
  failed_ = true;
  diagnostics_.error(position_in(text_, offset), std::move(message), std::move(hint));
}

VariableRef VariableChecker::check(std::string_view name, size_t start, bool first) {
  const auto member = std::ranges::find(rules_.members, name.substr(0, name.find('.')),
                                        [](const auto& m) -> std::string_view { return m.name; });
  if (member == rules_.members.end()) return check_of(rules_.entity, name, start, first);
  if (!member->broken) return check_member(*member, name, start, first);
  failed_ = true;
  return {};
}

/// $(MEMBER.X) is X of another device of the unit.
VariableRef VariableChecker::check_member(const MemberRules& member, std::string_view name,
                                          size_t start, bool first) {
  const size_t dot = name.find('.');
  const std::string_view own = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  const VariableInfo* const variable = find_variable(own.substr(0, own.find('.')));
  if (rules_.stage < RenderStage::identity) {
    error(start, fmt::format("'$({})' is known only {}", name, since(RenderStage::identity)),
          fmt::format("write $({}): {}", variable == nullptr ? "VARIABLE" : own, rules_.reason));
    return {};
  }
  if (own.empty()) {
    error(start, fmt::format("'$({})' lacks a variable: write $({}.VARIABLE)", name, member.name),
          variable_list(member.entity, {}));
    return {};
  }
  if (variable != nullptr && !variable->of_device()) {
    error(start, fmt::format("'$({})' is not a variable of a member: write $({})", name, own),
          "it belongs to the whole unit or to the node");
    return {};
  }
  within_ = member.name + '.';
  VariableRef ref = check_of(member.entity, own, start, first);
  within_.clear();
  ref.member = member.name;
  return ref;
}

/// $(ancestor.SUBSYSTEM.X) is X of an ancestor.
VariableRef VariableChecker::check_ancestor(const EntityRules& entity, std::string_view name,
                                            size_t start, bool first) {
  const std::string_view rest = name.substr(kAncestorPrefix.size());
  const size_t dot = rest.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == rest.size()) {
    error(start, fmt::format("'$({})' is incomplete: write $(ancestor.SUBSYSTEM.VARIABLE)", name),
          fmt::format("write for example $({})", example_of(*find_variable("ancestor"))));
    return {};
  }
  const std::string_view own = rest.substr(dot + 1);
  const VariableInfo* const variable = find_variable(own.substr(0, own.find('.')));
  if (variable != nullptr && !variable->of_ancestors()) {
    error(start, fmt::format("'$({})' is not available for a device above", own),
          "a device above has the variables from name to link, without path");
    return {};
  }
  if (!find_variable("ancestor")->known_in.contains(entity.kind)) {
    error(start, fmt::format("'$({})' is not available in a {} rule", name, rule_word(entity.kind)),
          variable_list(entity, {}));
    return {};
  }
  const std::string outside = within_;
  within_ += fmt::format("{}{}.", kAncestorPrefix, rest.substr(0, dot));
  VariableRef ref = check_of(entity, own, start, first);
  within_ = outside;
  ref.above = rest.substr(0, dot);
  return ref;
}

void VariableChecker::report_unknown(const EntityRules& entity, std::string_view name,
                                     size_t start) {
  error(start, fmt::format("unknown variable '$({}{})'", within_, name),
        hint_for_unknown(entity, name));
}

std::string VariableChecker::hint_for_unknown(const EntityRules& entity,
                                              std::string_view name) const {
  const std::string meant = suggest_variable(name);
  const VariableInfo* const variable = find_variable(meant.substr(0, meant.find('.')));
  // Devices below have these variables, from a device above; that device itself has the values in
  // files.
  const bool of_below = variable != nullptr && !variable->arguments().empty();
  const bool fits = variable != nullptr && variable->known_in.contains(entity.kind) &&
                    (!is_above() || (variable->of_ancestors() && !of_below));
  if (fits) return fmt::format("did you mean '$({}{})'?", within_, meant);
  auto words = variable_words(entity.kind);
  const auto members = within_.empty() ? std::span<const MemberRules>(rules_.members)
                                       : std::span<const MemberRules>();
  const size_t end = std::min(name.find('.'), name.size());
  if (end < name.size()) {
    std::erase_if(words, [](std::string_view word) { return !find_variable(word)->has_argument; });
  }
  for (const MemberRules& member : members) words.push_back(member.name);
  const auto near = nearest_word(name.substr(0, end), words);
  if (near) return fmt::format("did you mean '$({}{}{})'?", within_, *near, name.substr(end));
  return variable_list(entity, members);
}

VariableRef VariableChecker::check_of(const EntityRules& entity, std::string_view name,
                                      size_t start, bool first) {
  if (name.starts_with(kAncestorPrefix)) return check_ancestor(entity, name, start, first);
  const size_t dot = name.find('.');
  const VariableInfo* const variable = find_variable(name.substr(0, dot));
  if (variable == nullptr) {
    report_unknown(entity, name, start);
    return {};
  }
  VariableRef ref{variable->fact,
                  std::string(dot == std::string_view::npos ? "" : name.substr(dot + 1)),
                  variable->variable};
  check_variable(entity, *variable, ref, {.text = name, .start = start, .first = first});
  return ref;
}

/// Reports one mistake per variable: the first of these, ordered by certainty.
void VariableChecker::check_variable(const EntityRules& entity, const VariableInfo& variable,
                                     const VariableRef& ref, const WrittenVariable& written) {
  const auto [name, start, first] = written;
  if (!variable.known_in.contains(entity.kind)) {
    const bool node = entity.kind == RuleKind::glob && variable.is(Fact::devnode);
    const bool path = entity.kind == RuleKind::subsystem && variable.is(Fact::path);
    error(start,
          fmt::format("'$({}{})' is not available in a {} rule", within_, name,
                      rule_word(entity.kind)),
          node   ? fmt::format("write $({}path) for the path that was found", within_)
          : path ? fmt::format("write $({}devnode) for the path of the device node", within_)
                 : variable_list(entity, {}));
  } else if (const auto fault = stage_fault(variable); !fault.empty()) {
    error(start, fmt::format("'$({})' {}", variable.word, fault), stage_hint(entity, variable));
  } else if (variable.has_argument && ref.argument.empty()) {
    error(start,
          fmt::format("'$({}{})' lacks a name: write $({}{}.NAME)", within_, name, within_,
                      variable.word),
          fmt::format("write for example $({}{})", within_, example_of(variable)));
  } else if (!variable.has_argument && name != variable.word) {
    error(start,
          fmt::format("'$({}{})' has no fields: write $({}{})", within_, name, within_,
                      variable.word),
          "remove the text after the name");
  } else if (name.ends_with('.')) {
    error(start, fmt::format("'$({}{})' ends in '.'", within_, name),
          "remove the '.', or write the rest of the name");
  } else if (check_argument(entity, ref, start)) {
    check_use(variable, start, first);
  }
}

bool VariableChecker::check_argument(const EntityRules& entity, const VariableRef& ref,
                                     size_t start) {
  if (ref.is(Fact::attribute)) {
    const auto fault = attribute_name_fault(ref.argument);
    if (fault) {
      error(start, fmt::format("the attribute '{}' {}", ref.argument, *fault), kAttributeHint);
    }
    return !fault;
  }
  if (const VariableInfo& variable = info(ref); !variable.arguments().empty()) {
    const std::string_view block = variable.word;
    const auto names = config::key_names(block);
    if (std::ranges::find(names, ref.argument) != names.end()) return true;
    const auto* const foreign = config::find_foreign_key(block, ref.argument);
    const bool known = foreign != nullptr && !foreign->replacement.empty();
    const auto near = known ? std::optional(std::string(foreign->replacement))
                            : nearest_word(ref.argument, names);
    error(start, fmt::format("unknown variable '{}'", ref.to_text()),
          near ? fmt::format("did you mean '$({}.{})'?", block, *near)
               : fmt::format("after '{}.' write one of: {}", block, fmt::join(names, ", ")));
    return false;
  }
  if (ref.variable == Variable::capture && entity.captures &&
      std::ranges::find(*entity.captures, ref.argument) == entity.captures->end()) {
    const std::vector<std::string_view> names(entity.captures->begin(), entity.captures->end());
    const auto near = nearest_word(ref.argument, names);
    error(start, fmt::format("no regex of this match captures '{}'", ref.argument),
          near            ? fmt::format("did you mean '$(capture.{})'?", *near)
          : names.empty() ? fmt::format("name a group of a regex: (?P<{}>…)", ref.argument)
                          : fmt::format("captured names: {}", fmt::join(names, ", ")));
    return false;
  }
  return true;
}

std::string VariableChecker::stage_fault(const VariableInfo& variable) const {
  if (variable.of_pod() && !rules_.of_pod) return "is not available here";
  if (variable.known_from > rules_.stage) {
    return fmt::format("is known only {}", since(variable.known_from));
  }
  if (variable.variable == Variable::by && !rules_.grouped) return "needs a 'by' in the group";
  const bool of_share =
      variable.variable == Variable::share || variable.variable == Variable::shares;
  if (of_share && rules_.dra) return "is not available with 'serve: dra'";
  return of_share && !rules_.shared ? "needs a 'share' in the group" : "";
}

std::string VariableChecker::stage_hint(const EntityRules& entity,
                                        const VariableInfo& variable) const {
  if (variable.of_pod()) {
    return "with serve: dra, write it in containerPath, or in names and values of envs";
  }
  if (variable.known_from > rules_.stage) {
    return rules_.reason.empty() ? variable_list(entity, {}) : std::string(rules_.reason);
  }
  if (variable.variable == Variable::by) {
    return "by: $(usb.socket) makes one unit of all devices in one socket";
  }
  return rules_.dra ? "a ResourceClaim gets whole units: write $(slot) for their number in it"
                    : "share: {count: 4} lists each unit four times";
}

std::string VariableChecker::variable_list(const EntityRules& entity,
                                           std::span<const MemberRules> members) const {
  std::string out = "known variables:";
  for (const std::string_view word : variable_words(entity.kind)) {
    const VariableInfo& variable = *find_variable(word);
    if (!stage_fault(variable).empty()) continue;
    out += fmt::format(" {}{}", word, variable.has_argument ? ".NAME" : "");
  }
  for (const MemberRules& member : members) out += fmt::format(" {}.VARIABLE", member.name);
  return out;
}

void VariableChecker::check_use(const VariableInfo& variable, size_t start, bool first) {
  if (use_ != TextUse::path) return;
  if (variable.variable == Variable::resource) {
    error(start, "'$(resource)' contains '/' and cannot be a component of a path",
          "write the name itself, or $(id)");
  }
  if (variable.whole_path && !first) {
    error(
        start, fmt::format("'$({})' is a whole path: it can only begin one", variable.word),
        fmt::format("write it at the beginning, or write its last component, $({}name)", within_));
  }
}

}  // namespace patchbay::rules
