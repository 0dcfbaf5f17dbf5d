#include "rules/lint/spec_texts.h"

#include <optional>
#include <vector>

#include <re2/re2.h>

#include "rules/match/matcher.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

using TextForm = SpecText::Form;
using Text = config::Located<std::string>;

std::string_view key_of_name(Fact fact) {
  switch (fact) {
    case Fact::attribute:
      return "attribute-name";
    case Fact::property:
      return "property-name";
    default:
      return info(fact).word;
  }
}

/// Visits the texts of one file.
class TextWalker {
 public:
  explicit TextWalker(const TextVisitor& visitor) : visitor_(visitor) {}

  void node_condition(const config::MatchSpec& spec);
  void group(const config::GroupSpec& spec);

 private:
  void visit(std::string_view key, TextForm form, const Text& text) {
    visitor_({.key = key, .form = form, .text = text, .subsystem = subsystem_});
  }
  void visit(std::string_view key, TextForm form, const std::vector<Text>& texts) {
    for (const Text& text : texts) visit(key, form, text);
  }
  void text(std::string_view key, const Text& written);
  void text(std::string_view key, const std::optional<Text>& written) {
    if (written) text(key, *written);
  }
  void text(std::string_view key, const std::vector<Text>& texts) {
    for (const Text& written : texts) text(key, written);
  }

  void condition(std::string_view key, std::string_view name, const config::ConditionSpec& spec);
  void match(const config::MatchSpec& spec);
  void block(const config::MatchSpec& spec, std::optional<RuleKind> kind);
  void entries(const config::GroupSpec& spec);
  void probe(const config::ProbeSpec& spec);
  void step(const config::StepSpec& spec);

  const TextVisitor& visitor_;
  std::string_view subsystem_;  ///< The subsystem of the current texts and conditions.
};

/// Visits a text, and the names of attributes and properties in it.
void TextWalker::text(std::string_view key, const Text& written) {
  visit(key, TextForm::text, written);
  static const re2::RE2 variable(R"((\$\((attribute|property)\.([^():]+)))");
  re2::StringPiece rest(written.value);
  re2::StringPiece whole;
  re2::StringPiece fact;
  std::string name;
  while (re2::RE2::FindAndConsume(&rest, variable, &whole, &fact, &name)) {
    const auto offset = static_cast<size_t>(whole.data() - written.value.data());
    visit(key_of_name(fact == "attribute" ? Fact::attribute : Fact::property), TextForm::literal,
          {name, position_in(written, offset)});
  }
}

void TextWalker::condition(std::string_view key, std::string_view name,
                           const config::ConditionSpec& spec) {
  const auto compared = [&](TextForm form, const Text& text) {
    visitor_({.key = key, .name = name, .form = form, .text = text, .subsystem = subsystem_});
  };
  if (spec.form == config::ConditionSpec::Form::text)
    compared(TextForm::glob, {spec.text, spec.at});
  if (spec.regex) compared(TextForm::regex, *spec.regex);
  for (const config::ConditionSpec& operand : spec.list) condition(key, name, operand);
  for (const config::ConditionSpec& operand : spec.negated) condition(key, name, operand);
}

void TextWalker::node_condition(const config::MatchSpec& spec) {
  for (const auto& [fact, name, compared] : spec.conditions) {
    if (fact == Fact::glob) visit("glob", TextForm::glob, name);
    if (fact == Fact::file) text("file", name);
    condition(info(fact).word, name.value, compared);
  }
  for (const auto* blocks : {&spec.any, &spec.all, &spec.except}) {
    for (const config::MatchSpec& inner : *blocks) node_condition(inner);
  }
}

void TextWalker::match(const config::MatchSpec& spec) {
  subsystem_ = only_subsystem(spec);
  visit("sysfs", TextForm::glob, spec.sysfs);
  visit("glob", TextForm::glob, spec.glob);
  block(spec, Matcher::kind_of(spec));
}

void TextWalker::block(const config::MatchSpec& spec, std::optional<RuleKind> kind) {
  if (kind == RuleKind::static_name) return;
  for (const auto& [fact, name, compared] : spec.conditions) {
    // A key that such a rule does not have is reported elsewhere.
    if (fact == Fact::path ? kind != RuleKind::glob
                           : kind && !info(fact).compared_in.contains(*kind)) {
      continue;
    }
    condition(info(fact).word, name.value, compared);
    if (fact == Fact::file) {
      text("file", name);
    } else if (info(fact).has_argument) {
      visit(key_of_name(fact), TextForm::literal, name);
    }
  }
  for (const auto* blocks : {&spec.any, &spec.all, &spec.except}) {
    for (const config::MatchSpec& inner : *blocks) block(inner, kind);
  }
  const std::string_view below = subsystem_;
  for (const config::MatchSpec& inner : spec.ancestor) {
    subsystem_ = only_subsystem(inner);
    block(inner, kind);
  }
  subsystem_ = below;
}

void TextWalker::entries(const config::GroupSpec& spec) {
  for (const auto& device : spec.devices.value_or(std::vector<config::DeviceEntrySpec>{})) {
    text("devices", device.host_path);
    text("containerPath", device.container_path);
  }
  for (const config::MountSpec& mount : spec.mounts) {
    text("mounts", mount.host_path);
    text("containerPath", mount.container_path);
  }
  for (const config::EnvSpec& env : spec.envs) text("", env.value);
  for (const config::AnnotationSpec& annotation : spec.annotations) text("", annotation.value);
  if (spec.cdi) text("", spec.cdi->names);
  if (spec.dra) {
    for (const config::AttributeSpec& attribute : spec.dra->attributes) text("", attribute.value);
  }
}

void TextWalker::probe(const config::ProbeSpec& spec) {
  const Check::Kind kind = spec.kind.value;
  if (kind == Check::Kind::open) text("hostPath", spec.text);
  if (kind == Check::Kind::tcp) text("", spec.text);
  text("", spec.arguments);
  for (const auto& [name, compared] : spec.conditions) {
    if (kind == Check::Kind::files) {
      condition("file", name.value, compared);
      text("file", name);
    } else {
      condition(word_of(kind), name.value, compared);
      visit(word_of(kind) == "attribute" ? "attribute-name" : "property-name", TextForm::literal,
            name);
    }
  }
}

void TextWalker::step(const config::StepSpec& spec) {
  const Step::Kind kind = spec.kind.value;
  if (kind == Step::Kind::write || kind == Step::Kind::wait) text("hostPath", spec.path);
  if (kind == Step::Kind::write) text("", spec.value);
  text("", spec.arguments);
}

void TextWalker::group(const config::GroupSpec& spec) {
  if (spec.when) node_condition(*spec.when);
  match(spec.match);
  text("by", spec.by);
  for (const config::MemberSpec& member : spec.members) {
    match(member.match);
    text("by", member.by);
  }
  subsystem_ = only_subsystem(spec.match);
  text("id", spec.id);
  entries(spec);
  for (const config::ProbeSpec& probed : spec.health) probe(probed);
  for (const auto* steps : {&spec.pre_start, &spec.release}) {
    for (const config::StepSpec& one : *steps) step(one);
  }
}

}  // namespace

std::string_view only_subsystem(const config::MatchSpec& match) {
  const config::ConditionSpec* const condition = match.find(Fact::subsystem);
  const bool plain = condition != nullptr && condition->form == config::ConditionSpec::Form::text &&
                     condition->text.find_first_of("*?[\\$") == std::string::npos;
  return plain ? std::string_view(condition->text) : std::string_view{};
}

void visit_texts(const config::Spec& spec, const TextVisitor& visitor) {
  TextWalker walk(visitor);
  for (const config::ResourceSpec& resource : spec.resources) {
    if (resource.when) walk.node_condition(*resource.when);
    for (const config::GroupSpec& group : resource.groups) walk.group(group);
  }
}

}  // namespace patchbay::rules
