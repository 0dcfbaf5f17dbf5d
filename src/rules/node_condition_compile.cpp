#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/node_condition.h"
#include "rules/path_pattern.h"
#include "rules/plain_text.h"
#include "rules/text_hint.h"
#include "rules/text_use.h"

namespace patchbay::rules {
namespace {

/// Of blocks inside one another.
constexpr int kMaxDepth = 4;

constexpr const char* kNothingExpanded =
    "nothing is expanded here: it is asked of the node, before there are any devices";

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

/// Compiles one `when`, or a block of it; each step reports what is wrong and goes on.
class NodeConditionCompiler {
 public:
  NodeConditionCompiler(const config::NodeConditionSpec& spec, int depth,
                        config::Diagnostics& diagnostics)
      : spec_(spec), depth_(depth), diagnostics_(diagnostics) {}

  std::optional<NodeCondition> compile();

 private:
  using Field = NodeCondition::Field;

  void error(const config::Position& at, std::string message, std::string hint = {}) {
    failed_ = true;
    diagnostics_.error(at, std::move(message), std::move(hint));
  }

  void add(Field field, const config::Position& at, const std::string& argument,
           const config::ConditionSpec& spec);
  void add_glob(const config::Located<std::string>& pattern);
  void add_file(const config::NamedConditionSpec& file);
  void add_variable(const config::NamedConditionSpec& variable);
  void add_blocks(const std::vector<config::NodeConditionSpec>& specs,
                  std::vector<NodeCondition>& blocks);

  const config::NodeConditionSpec& spec_;
  int depth_;
  config::Diagnostics& diagnostics_;
  NodeCondition out_;
  bool failed_ = false;
};

void NodeConditionCompiler::add(Field field, const config::Position& at,
                                const std::string& argument, const config::ConditionSpec& spec) {
  auto condition =
      Condition::compile(spec, {.place = "'when'", .hint = kNothingExpanded}, diagnostics_);
  if (!condition) {
    failed_ = true;
    return;
  }
  const auto names = condition->capture_names();
  if (!names.empty()) {
    error(spec.at, fmt::format("the group '{}' captures nothing in 'when'", names.front()),
          "$(capture.…) is of devices; write (…) or (?:…) instead of (?P<…>…)");
  }
  out_.tests_.push_back({at, field, argument, std::move(condition)});
}

void NodeConditionCompiler::add_glob(const config::Located<std::string>& pattern) {
  if (pattern.value.find("$(") != std::string::npos) {
    return error(pattern.at, fmt::format("the pattern '{}' holds a '$('", printable(pattern.value)),
                 kNothingExpanded);
  }
  failed_ = !check_path_pattern(pattern, diagnostics_) || failed_;
  out_.tests_.push_back({pattern.at, Field::glob, pattern.value, std::nullopt});
}

void NodeConditionCompiler::add_file(const config::NamedConditionSpec& file) {
  const auto& [path, at] = file.name;
  if (path.find('$') != std::string::npos) {
    error(at, fmt::format("the path '{}' holds a '$'", printable(path)), kNothingExpanded);
  } else if (const auto fault = path_fault(path)) {
    error(at, fmt::format("the path '{}' {}", printable(path), *fault), kPathHint);
  } else {
    failed_ = !check_one_file(file.name, diagnostics_) || failed_;
  }
  add(Field::file, at, path, file.condition);
}

void NodeConditionCompiler::add_variable(const config::NamedConditionSpec& variable) {
  const auto& [name, at] = variable.name;
  if (!is_variable_name(name)) {
    error(at, fmt::format("bad name '{}' for an environment variable", printable(name)),
          "the name alone, without '$': a letter or '_', then letters, digits and '_'");
  }
  add(Field::env, at, name, variable.condition);
}

void NodeConditionCompiler::add_blocks(const std::vector<config::NodeConditionSpec>& specs,
                                       std::vector<NodeCondition>& blocks) {
  for (const config::NodeConditionSpec& spec : specs) {
    auto block = NodeConditionCompiler(spec, depth_ + 1, diagnostics_).compile();
    failed_ = failed_ || !block;
    if (block) blocks.push_back(std::move(*block));
  }
}

std::optional<NodeCondition> NodeConditionCompiler::compile() {
  out_.at_ = spec_.at;
  if (depth_ > kMaxDepth) {
    error(spec_.at, "too many blocks inside one another",
          fmt::format("a 'when' has at most {} levels of blocks", kMaxDepth));
    return std::nullopt;
  }
  if (spec_.node) add(Field::node, spec_.node->at, {}, *spec_.node);
  for (const auto& pattern : spec_.glob) add_glob(pattern);
  for (const auto& file : spec_.file) add_file(file);
  for (const auto& variable : spec_.env) add_variable(variable);
  add_blocks(spec_.any, out_.any_);
  add_blocks(spec_.except, out_.except_);
  std::ranges::stable_sort(out_.tests_, {}, [](const NodeCondition::Test& test) {
    return std::tie(test.field, test.argument);
  });
  if (failed_) return std::nullopt;
  return std::move(out_);
}

std::optional<NodeCondition> NodeCondition::compile(const config::NodeConditionSpec& spec,
                                                    config::Diagnostics& diagnostics) {
  return NodeConditionCompiler(spec, 0, diagnostics).compile();
}

}  // namespace patchbay::rules
