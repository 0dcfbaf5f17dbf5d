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

std::optional<Mismatch> NodeCondition::mismatch(const Test& test, const NodeFacts& facts,
                                                const std::string& node) {
  if (test.field == Field::glob) {
    if (std::ranges::find(facts.globs, test.argument) != facts.globs.end()) return std::nullopt;
    return Mismatch{test.at, test.to_text(),
                    fmt::format("{} finds nothing", printable(test.argument))};
  }
  std::string what = "node";
  std::vector<std::string> values;
  if (test.field == Field::node) {
    if (!node.empty()) values.push_back(node);
  } else {
    what = printable(test.argument);
    const auto found = facts.files.find(test.argument);
    if (found != facts.files.end()) values.push_back(found->second);
  }
  if (test.condition->holds(values)) return std::nullopt;
  return Mismatch{test.at, test.to_text(), actual_values(what, values)};
}

Mismatch NodeCondition::excepted() const {
  return {at_, blocks_text("except", {this, 1}), "what it excepts holds"};
}

Mismatch NodeCondition::none_of_any(const NodeFacts& facts, std::string_view node) const {
  Mismatch none{any_.front().at_, blocks_text("any", any_), "none of its blocks holds"};
  for (const NodeCondition& block : any_) {
    none.parts.push_back(as_one(block.at_, block.to_text(), block.mismatches(facts, node)));
  }
  return none;
}

std::vector<Mismatch> NodeCondition::mismatches(const NodeFacts& facts,
                                                std::string_view node) const {
  std::vector<Mismatch> out;
  const std::string name(node);
  for (const Test& test : tests_) {
    if (auto failed = mismatch(test, facts, name)) out.push_back(*std::move(failed));
  }
  for (const NodeCondition& block : except_) {
    if (block.holds(facts, node)) out.push_back(block.excepted());
  }
  const auto one_holds = [&](const NodeCondition& block) { return block.holds(facts, node); };
  if (!any_.empty() && std::ranges::none_of(any_, one_holds)) {
    out.push_back(none_of_any(facts, node));
  }
  return out;
}

bool NodeCondition::holds(const NodeFacts& facts, std::string_view node) const {
  return mismatches(facts, node).empty();
}

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
