#include "rules/node_condition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

void add_sorted(std::vector<std::string>& list, const std::string& text) {
  const auto place = std::ranges::lower_bound(list, text);
  if (place == list.end() || *place != text) list.insert(place, text);
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", printable(text)); }

}  // namespace

/// What its condition looks at: none if it is absent.
std::vector<std::string> NodeCondition::values(const Test& test, const NodeScope& scope) {
  std::optional<std::string> value;
  if (test.field == Field::node) value = std::string(scope.node);
  if (test.field == Field::env) value = scope.environment(test.argument);
  if (test.field == Field::file) {
    const auto found = scope.facts.files.find(test.argument);
    if (found != scope.facts.files.end()) value = found->second;
  }
  return value && !value->empty() ? std::vector{*std::move(value)} : std::vector<std::string>{};
}

std::optional<Mismatch> NodeCondition::mismatch(const Test& test, const NodeScope& scope) {
  if (test.field == Field::glob) {
    const auto& found = scope.facts.globs;
    if (std::ranges::find(found, test.argument) != found.end()) return std::nullopt;
    return Mismatch{test.at, test.to_text(),
                    fmt::format("{} finds nothing", printable(test.argument))};
  }
  const auto found = values(test, scope);
  const std::vector<std::string_view> seen(found.begin(), found.end());
  if (test.condition->holds(seen)) return std::nullopt;
  const std::string what = test.field == Field::node  ? "node"
                           : test.field == Field::env ? "env." + test.argument
                                                      : printable(test.argument);
  return Mismatch{test.at, test.to_text(), actual_values(what, seen)};
}

Mismatch NodeCondition::excepted() const {
  return {at_, blocks_text("except", {this, 1}), "what it excepts holds"};
}

Mismatch NodeCondition::none_of_any(const NodeScope& scope) const {
  Mismatch none{any_.front().at_, blocks_text("any", any_), "none of its blocks holds"};
  for (const NodeCondition& block : any_) {
    none.parts.push_back(as_one(block.at_, block.to_text(), block.mismatches(scope)));
  }
  return none;
}

std::vector<Mismatch> NodeCondition::mismatches(const NodeScope& scope) const {
  std::vector<Mismatch> out;
  for (const Test& test : tests_) {
    if (auto failed = mismatch(test, scope)) out.push_back(*std::move(failed));
  }
  for (const NodeCondition& block : except_) {
    if (block.holds(scope)) out.push_back(block.excepted());
  }
  const auto one_holds = [&](const NodeCondition& block) { return block.holds(scope); };
  if (!any_.empty() && std::ranges::none_of(any_, one_holds)) out.push_back(none_of_any(scope));
  return out;
}

bool NodeCondition::holds(const NodeScope& scope) const { return mismatches(scope).empty(); }

void NodeCondition::query(NodeQuery& query) const {
  for (const Test& test : tests_) {
    if (test.field == Field::glob) add_sorted(query.globs, test.argument);
    if (test.field == Field::file) add_sorted(query.files, test.argument);
  }
  for (const NodeCondition& block : any_) block.query(query);
  for (const NodeCondition& block : except_) block.query(query);
}

std::string NodeCondition::Test::to_text() const {
  switch (field) {
    case Field::node:
      return fmt::format("node: {}", condition->to_text());
    case Field::glob:
      return fmt::format("glob: {}", quoted(argument));
    case Field::file:
      return fmt::format("file: {{{}: {}}}", printable(argument), condition->to_text());
    case Field::env:
      return fmt::format("env: {{{}: {}}}", argument, condition->to_text());
  }
  return "";
}

std::string NodeCondition::to_text() const {
  std::vector<std::string> parts;
  for (const Test& test : tests_) parts.push_back(test.to_text());
  if (!any_.empty()) parts.push_back(blocks_text("any", any_));
  if (!except_.empty()) parts.push_back(blocks_text("except", except_));
  return join(parts, ", ");
}

std::string NodeCondition::blocks_text(std::string_view key,
                                       std::span<const NodeCondition> blocks) {
  std::vector<std::string> texts;
  for (const NodeCondition& block : blocks) texts.push_back(fmt::format("{{{}}}", block.to_text()));
  return fmt::format("{}: [{}]", key, join(texts, ", "));
}

bool operator==(const NodeCondition& a, const NodeCondition& b) {
  return a.tests_ == b.tests_ && a.any_ == b.any_ && a.except_ == b.except_;
}

}  // namespace patchbay::rules
