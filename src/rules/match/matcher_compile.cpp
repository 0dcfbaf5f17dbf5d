#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/match/hardware_id.h"
#include "rules/match/match_checks.h"
#include "rules/match/matcher.h"
#include "rules/match/path_pattern.h"
#include "rules/text/attribute_name.h"
#include "rules/text/plain_text.h"
#include "rules/text/text_hint.h"
#include "rules/text/text_use.h"

namespace patchbay::rules {
namespace {

/// Limit for nested blocks.
constexpr int kMaxDepth = 4;

constexpr ConditionRules kOfSubsystem{
    .context = "subsystem:",
    .hint = "it selects the devices to check: write one name, or several with '*' or a list"};

constexpr const char* kNothingExpanded =
    "variables are not expanded here: it is evaluated for the node, before any device is known";
constexpr ConditionRules kOfNode{.context = "'when'", .hint = kNothingExpanded};

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::vector<RuleKind> kinds_of(const config::MatchSpec& spec) {
  std::vector<RuleKind> kinds;
  if (spec.find(Fact::subsystem) != nullptr) kinds.push_back(RuleKind::subsystem);
  if (!spec.sysfs.empty()) kinds.push_back(RuleKind::sysfs);
  if (!spec.glob.empty()) kinds.push_back(RuleKind::glob);
  if (!spec.static_names.empty()) kinds.push_back(RuleKind::static_name);
  return kinds;
}

}  // namespace

/// Compiles one match block. Each step reports its mistakes and continues.
class MatchCompiler {
 public:
  MatchCompiler(const config::MatchSpec& spec, config::Diagnostics& diagnostics)
      : spec_(spec), diagnostics_(diagnostics) {}

  std::optional<Matcher> compile();
  std::optional<Matcher> compile_when();
  /// Compiles a block in a match of this kind.
  std::optional<Matcher> compile_block(RuleKind kind, int depth);

 private:
  void add_blocks(const std::vector<config::MatchSpec>& specs, std::vector<Matcher>& blocks);
  void claim_captures(const std::vector<config::MatchSpec>& specs,
                      const std::set<std::string>& names);
  void add_all();
  std::optional<Matcher> finish();
  bool find_kind();
  void add_patterns(const std::vector<config::Located<std::string>>& patterns);
  void add(const config::FactConditionSpec& spec);
  void add(Fact fact, const config::ConditionSpec& spec, const std::string& argument,
           std::optional<Template> path, const config::Position& at);
  /// Checks the name of a fact, and returns the path of a file.
  std::optional<Template> check_name(const config::FactConditionSpec& spec);
  void check_name_of_node(const config::FactConditionSpec& spec);
  void claim_captures(const Condition& condition, const config::Position& at);
  void add_static_names();

  const config::MatchSpec& spec_;
  config::Diagnostics& diagnostics_;
  Matcher out_;
  std::set<std::string> captures_;
  std::optional<RuleKind> kind_;
  int depth_ = 0;
  config::ErrorCheckpoint errors_{diagnostics_};
};

bool MatchCompiler::find_kind() {
  if (const auto kind = Matcher::kind_of(spec_)) {
    out_.kind_ = *kind;
    return true;
  }
  const std::vector<RuleKind> kinds = kinds_of(spec_);
  if (kinds.empty() && !spec_.broken && spec_.at.source) {
    report_no_kind(spec_, diagnostics_);
  } else if (!kinds.empty()) {
    diagnostics_.error(key_position(spec_, rule_word(kinds[1])),
                       fmt::format("'{}' and '{}' cannot be in one match", rule_word(kinds[0]),
                                   rule_word(kinds[1])),
                       "write only one of subsystem:, sysfs:, glob:, static:");
  }
  return false;
}

void MatchCompiler::add_patterns(const std::vector<config::Located<std::string>>& patterns) {
  for (const auto& pattern : patterns) {
    check_path_pattern(pattern, out_.kind_, diagnostics_);
    out_.patterns_.push_back(pattern.value);
    out_.patterns_at_.push_back({pattern.at});
  }
}

void MatchCompiler::add(Fact fact, const config::ConditionSpec& spec, const std::string& argument,
                        std::optional<Template> path, const config::Position& at) {
  // With an unknown kind, any variable can be meant.
  const TemplateRules known{.entity = {kind_.value_or(RuleKind::sysfs), std::nullopt},
                            .stage = RenderStage::matching};
  ConditionRules rules{.variables = &known};
  if (fact == Fact::subsystem) rules = kOfSubsystem;
  if (kind_ == RuleKind::node) rules = kOfNode;
  auto condition = Condition::compile(spec, rules, diagnostics_);
  if (!condition) return;
  claim_captures(*condition, spec.at);
  out_.tests_.push_back({fact, argument, std::move(path), std::move(*condition), {at}});
  out_.tests_.back().cost = Matcher::cost_of(out_.tests_.back());
}

void MatchCompiler::claim_captures(const Condition& condition, const config::Position& at) {
  const auto names = condition.capture_names();
  if (kind_ == RuleKind::node && !names.empty()) {
    diagnostics_.error(
        at, fmt::format("the group '{}' has no use in 'when'", names.front()),
        "$(capture.…) exists only for devices; write (…) or (?:…) instead of (?P<…>…)");
    return;
  }
  for (const std::string& name : names) {
    if (captures_.insert(name).second) continue;
    diagnostics_.error(at, fmt::format("two conditions of this match capture '{}'", name),
                       "give one of the groups another name");
  }
}

void MatchCompiler::check_name_of_node(const config::FactConditionSpec& spec) {
  const auto& [text, at] = spec.name;
  if (spec.fact == Fact::glob && text.find("$(") != std::string::npos) {
    diagnostics_.error(at, fmt::format("the pattern '{}' contains '$('", printable(text)),
                       kNothingExpanded);
  } else if (spec.fact == Fact::glob) {
    check_path_pattern(spec.name, diagnostics_);
  } else if (spec.fact == Fact::env && !is_variable_name(text)) {
    diagnostics_.error(
        at, fmt::format("bad name '{}' for an environment variable", printable(text)),
        "write only the name, without '$': a letter or '_', then letters, digits and '_'");
  } else if (spec.fact == Fact::file && text.find('$') != std::string::npos) {
    diagnostics_.error(at, fmt::format("the path '{}' contains '$'", printable(text)),
                       kNothingExpanded);
  } else if (spec.fact == Fact::file) {
    const auto fault = path_fault(text);
    if (fault)
      diagnostics_.error(at, fmt::format("the path '{}' {}", printable(text), *fault), kPathHint);
    check_one_file(spec.name, diagnostics_);
  }
}

/// Returns the path of a file.
std::optional<Template> MatchCompiler::check_name(const config::FactConditionSpec& spec) {
  const auto& name = spec.name;
  if (kind_ == RuleKind::node) {
    check_name_of_node(spec);
  } else if (spec.fact == Fact::attribute) {
    if (const auto fault = attribute_name_fault(name.value)) {
      diagnostics_.error(name.at, fmt::format("the attribute '{}' {}", name.value, *fault),
                         kAttributeHint);
    }
  } else if (spec.fact == Fact::property) {
    check_property_name(name, diagnostics_);
  } else if (spec.fact == Fact::file && kind_) {
    const TemplateRules rules{.entity = {*kind_, std::nullopt}, .stage = RenderStage::matching};
    auto path = Template::compile(name, TextUse::path, rules, diagnostics_);
    check_one_file(name, diagnostics_);
    return path;
  }
  return std::nullopt;
}

void MatchCompiler::add(const config::FactConditionSpec& spec) {
  if (spec.fact == Fact::file && !kind_) return;
  auto path = check_name(spec);
  config::ConditionSpec condition = spec.condition;
  const FactField* const field = find_field(info(spec.fact), spec.name.value);
  if (field != nullptr && !normalise_ids(*field, condition, diagnostics_)) return;
  // A named fact of the node is reported with its position.
  const bool named = kind_ == RuleKind::node && info(spec.fact).has_argument;
  add(spec.fact, condition, spec.name.value, std::move(path), named ? spec.name.at : condition.at);
}

void MatchCompiler::add_static_names() {
  check_static_names(spec_.static_names, diagnostics_);
  for (const auto& name : spec_.static_names) {
    out_.patterns_.push_back(name.value);
    out_.patterns_at_.push_back({name.at});
  }
}

void MatchCompiler::add_blocks(const std::vector<config::MatchSpec>& specs,
                               std::vector<Matcher>& blocks) {
  if (!kind_) return;
  for (const config::MatchSpec& spec : specs) {
    MatchCompiler compiler(spec, diagnostics_);
    auto block = compiler.compile_block(*kind_, depth_ + 1);
    if (block) blocks.push_back(std::move(*block));
  }
}

/// Several blocks of `any` can capture the same name, because only one of them is used.
void MatchCompiler::claim_captures(const std::vector<config::MatchSpec>& specs,
                                   const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (captures_.insert(name).second) continue;
    diagnostics_.error(specs.front().at,
                       fmt::format("two conditions of this match capture '{}'", name),
                       "give one of the groups another name");
  }
}

void MatchCompiler::add_all() {
  for (const config::FactConditionSpec& condition : spec_.conditions) add(condition);
  add_blocks(spec_.any, out_.any_);
  add_blocks(spec_.all, out_.all_);
  add_blocks(spec_.except, out_.except_);
  add_blocks(spec_.ancestor, out_.ancestors_);
  std::set<std::string> of_any;
  for (const Matcher& block : out_.any_) {
    for (std::string& name : block.capture_names()) of_any.insert(std::move(name));
  }
  claim_captures(spec_.any, of_any);
  for (const auto& [specs, blocks] :
       {std::pair(&spec_.all, &out_.all_), {&spec_.ancestor, &out_.ancestors_}}) {
    for (const Matcher& block : *blocks) {
      const auto names = block.capture_names();
      claim_captures(*specs, {names.begin(), names.end()});
    }
  }
}

std::optional<Matcher> MatchCompiler::finish() {
  if (kind_ == RuleKind::node) {
    std::ranges::stable_sort(out_.tests_, {}, [](const Matcher::Test& test) {
      return std::tie(test.fact, test.argument);
    });
  } else {
    std::ranges::stable_sort(out_.tests_, {}, &Matcher::Test::cost);
  }
  if (!kind_ || errors_.any()) return std::nullopt;
  out_.at_ = {spec_.at};
  return std::move(out_);
}

std::optional<Matcher> MatchCompiler::compile() {
  if (find_kind()) {
    kind_ = out_.kind_;
    check_match_keys(spec_, *kind_, diagnostics_);
    add_static_names();
    if (kind_ != RuleKind::static_name) {
      add_patterns(out_.kind_ == RuleKind::glob ? spec_.glob : spec_.sysfs);
    }
  }
  add_all();
  return finish();
}

std::optional<Matcher> MatchCompiler::compile_when() {
  kind_ = out_.kind_ = RuleKind::node;
  add_all();
  return finish();
}

std::optional<Matcher> MatchCompiler::compile_block(RuleKind kind, int depth) {
  out_.kind_ = kind;
  kind_ = kind;
  depth_ = depth;
  check_match_keys(spec_, kind, diagnostics_);
  if (depth > kMaxDepth) {
    diagnostics_.error(spec_.at, "blocks are nested too deeply",
                       fmt::format("a {} can have at most {} levels of blocks",
                                   kind == RuleKind::node ? "'when'" : "match", kMaxDepth));
    return std::nullopt;
  }
  add_all();
  // The kind belongs to the whole match: a block only compares.
  out_.kind_ = RuleKind::subsystem;
  return finish();
}

std::optional<RuleKind> Matcher::kind_of(const config::MatchSpec& spec) {
  const std::vector<RuleKind> kinds = kinds_of(spec);
  return kinds.size() == 1 ? std::optional(kinds.front()) : std::nullopt;
}

std::optional<Matcher> Matcher::compile(const config::MatchSpec& spec,
                                        config::Diagnostics& diagnostics) {
  return MatchCompiler(spec, diagnostics).compile();
}

std::optional<Matcher> Matcher::compile_when(const config::MatchSpec& spec,
                                             config::Diagnostics& diagnostics) {
  return MatchCompiler(spec, diagnostics).compile_when();
}

}  // namespace patchbay::rules
