#include "rules/lint/spec_texts.h"

#include <utility>
#include <vector>

#include "rules/match/matcher.h"

namespace patchbay::rules {
namespace {

using Text = config::Located<std::string>;
using Kind = std::optional<RuleKind>;

/// The value if a single text meets the condition.
std::string_view only_value(const config::MatchSpec& match, Fact fact) {
  const config::ConditionSpec* const condition = match.find(fact);
  if (condition == nullptr) return {};
  const bool plain = condition->form == config::ConditionSpec::Form::text &&
                     condition->text.find_first_of("*?[\\$") == std::string::npos;
  return plain ? std::string_view(condition->text) : std::string_view{};
}

/// Visits the texts of one file.
class TextWalker {
 public:
  explicit TextWalker(const TextVisitor& visitor) : visitor_(visitor) {}

  void node_condition(const config::MatchSpec& spec);
  void group(const config::GroupSpec& spec);

 private:
  void written(TextRole role, const Kind& kind, const Text& text) {
    visitor_.written({.role = role, .kind = kind, .text = text, .device = device_});
  }
  void written(TextRole role, const Kind& kind, const std::optional<Text>& text) {
    if (text) written(role, kind, *text);
  }
  void written(TextRole role, const Kind& kind, const std::vector<Text>& texts) {
    for (const Text& text : texts) written(role, kind, text);
  }

  void condition(const ComparedValue& value, const config::ConditionSpec& spec);
  void named(std::string_view key, const Kind& kind,
             const std::vector<config::NamedConditionSpec>& specs);
  void files(const Kind& kind, const std::vector<config::NamedConditionSpec>& specs);
  void match(const config::MatchSpec& spec);
  void block(const config::MatchSpec& spec, const Kind& kind);
  void entries(const config::GroupSpec& spec, const Kind& kind);
  void probe(const config::ProbeSpec& spec, const Kind& kind);
  void step(const config::StepSpec& spec, const Kind& kind);

  const TextVisitor& visitor_;
  DeviceClass device_{};  ///< Device class of the current texts and conditions.
};

void TextWalker::condition(const ComparedValue& value, const config::ConditionSpec& spec) {
  if (spec.form == config::ConditionSpec::Form::text) {
    visitor_.compared(value, {ComparedText::Form::glob, {spec.text, spec.at}});
  }
  if (spec.regex) visitor_.compared(value, {ComparedText::Form::regex, *spec.regex});
  for (const config::ConditionSpec& operand : spec.list) condition(value, operand);
  for (const config::ConditionSpec& operand : spec.negated) condition(value, operand);
}

void TextWalker::named(std::string_view key, const Kind& kind,
                       const std::vector<config::NamedConditionSpec>& specs) {
  for (const auto& [name, spec] : specs) {
    condition({.key = key, .name = name.value, .kind = kind, .device = device_}, spec);
    written(key == "attribute" ? TextRole::attribute_name : TextRole::property_name, kind, name);
  }
}

void TextWalker::files(const Kind& kind, const std::vector<config::NamedConditionSpec>& specs) {
  for (const auto& [path, spec] : specs) {
    condition({.key = "file", .name = path.value, .kind = kind}, spec);
    written(TextRole::file_path, kind, path);
  }
}

void TextWalker::node_condition(const config::MatchSpec& spec) {
  for (const auto& [fact, name, compared] : spec.conditions) {
    if (fact == Fact::glob) written(TextRole::path_pattern, std::nullopt, name);
    if (fact == Fact::file) written(TextRole::file_path, std::nullopt, name);
    condition({.key = info(fact).word, .name = name.value, .kind = std::nullopt}, compared);
  }
  for (const auto* blocks : {&spec.any, &spec.all, &spec.except}) {
    for (const config::MatchSpec& inner : *blocks) node_condition(inner);
  }
}

void TextWalker::match(const config::MatchSpec& spec) {
  const Kind kind = Matcher::kind_of(spec);
  device_ = device_class(spec);
  written(TextRole::path_pattern, kind, spec.sysfs);
  written(TextRole::path_pattern, kind, spec.glob);
  written(TextRole::static_name, kind, spec.static_names);
  block(spec, kind);
}

TextRole role_of_name(Fact fact) {
  switch (fact) {
    case Fact::file:
      return TextRole::file_path;
    case Fact::attribute:
      return TextRole::attribute_name;
    case Fact::property:
      return TextRole::property_name;
    default:
      return TextRole::literal;
  }
}

void TextWalker::block(const config::MatchSpec& spec, const Kind& kind) {
  for (const auto& [fact, name, compared] : spec.conditions) {
    // A key that such a rule does not have is reported elsewhere.
    if (fact == Fact::path ? kind != RuleKind::glob
                           : kind && !info(fact).compared_in.contains(*kind)) {
      continue;
    }
    condition({.key = info(fact).word, .name = name.value, .kind = kind, .device = device_},
              compared);
    if (info(fact).has_argument) written(role_of_name(fact), kind, name);
  }
  for (const auto* blocks : {&spec.any, &spec.all, &spec.except}) {
    for (const config::MatchSpec& inner : *blocks) block(inner, kind);
  }
  const DeviceClass below = device_;
  for (const config::MatchSpec& inner : spec.ancestor) {
    device_ = device_class(inner);
    block(inner, kind);
  }
  device_ = below;
}

void TextWalker::entries(const config::GroupSpec& spec, const Kind& kind) {
  for (const auto& device : spec.devices.value_or(std::vector<config::DeviceEntrySpec>{})) {
    written(TextRole::device_path, kind, device.host_path);
    written(TextRole::container_path, kind, device.container_path);
  }
  for (const config::MountSpec& mount : spec.mounts) {
    written(TextRole::mount_path, kind, mount.host_path);
    written(TextRole::container_path, kind, mount.container_path);
  }
  for (const config::EnvSpec& env : spec.envs) {
    written(TextRole::value, kind, env.value);
    written(TextRole::literal, kind, env.join);
  }
  for (const config::AnnotationSpec& annotation : spec.annotations) {
    written(TextRole::value, kind, annotation.value);
  }
  if (spec.cdi) written(TextRole::value, kind, spec.cdi->names);
}

void TextWalker::probe(const config::ProbeSpec& spec, const Kind& kind) {
  const Check::Kind probe = spec.kind.value;
  if (probe == Check::Kind::open) written(TextRole::host_path, kind, spec.text);
  if (probe == Check::Kind::tcp) written(TextRole::value, kind, spec.text);
  written(TextRole::value, kind, spec.arguments);
  if (probe == Check::Kind::files) {
    files(kind, spec.conditions);
  } else {
    named(word_of(probe), kind, spec.conditions);
  }
}

void TextWalker::step(const config::StepSpec& spec, const Kind& kind) {
  const Step::Kind step = spec.kind.value;
  if (step == Step::Kind::write || step == Step::Kind::wait) {
    written(TextRole::host_path, kind, spec.path);
  }
  if (step == Step::Kind::write) written(TextRole::value, kind, spec.value);
  written(TextRole::value, kind, spec.arguments);
}

void TextWalker::group(const config::GroupSpec& spec) {
  const Kind kind = Matcher::kind_of(spec.match);
  if (spec.when) node_condition(*spec.when);
  match(spec.match);
  written(TextRole::key, kind, spec.by);
  for (const config::MemberSpec& member : spec.members) {
    match(member.match);
    written(TextRole::key, Matcher::kind_of(member.match), member.by);
  }
  device_ = device_class(spec.match);
  written(TextRole::id, kind, spec.id);
  entries(spec, kind);
  for (const config::ProbeSpec& probed : spec.health) probe(probed, kind);
  for (const config::StepSpec& prepared : spec.pre_start) step(prepared, kind);
}

}  // namespace

DeviceClass device_class(const config::MatchSpec& match) {
  return {.subsystem = only_value(match, Fact::subsystem),
          .devtype = only_value(match, Fact::devtype)};
}

void visit_texts(const config::Spec& spec, const TextVisitor& visitor) {
  TextWalker walk(visitor);
  for (const config::ResourceSpec& resource : spec.resources) {
    visitor.written({.role = TextRole::literal,
                     .kind = std::nullopt,
                     .text = {resource.description, resource.at}});
    if (resource.when) walk.node_condition(*resource.when);
    for (const config::GroupSpec& group : resource.groups) walk.group(group);
  }
}

}  // namespace patchbay::rules
