#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rules/match/condition.h"
#include "rules/match/matcher.h"

/// Keys that compare rules by their meaning: two rules with the same key accept the same values.
/// Two rules with different keys may do so, too, for instance if their regular expressions differ.
namespace patchbay::rules {
namespace {

/// Appends a text with its length in front, so that different lists of texts give different keys.
void add_text(std::string& key, std::string_view text) {
  key += fmt::format("{}:{}", text.size(), text);
}

/// The key of a list. `ordered`: order and duplicates are significant.
std::string list_key(std::string_view kind, std::vector<std::string> subkeys, bool ordered) {
  if (!ordered) {
    std::ranges::sort(subkeys);
    subkeys.erase(std::ranges::unique(subkeys).begin(), subkeys.end());
  }
  std::string key(kind);
  for (const std::string& subkey : subkeys) add_text(key, subkey);
  return key;
}

}  // namespace

/// Bounds are compared by their numbers: 8Gi is 8192Mi.
std::string Condition::range_key() const {
  std::vector<std::string> bounds;
  for (const Bound& bound : bounds_) {
    std::string key(word(bound.order));
    add_text(key, bound.variable ? "$" + bound.written : exact_text(bound.number));
    bounds.push_back(std::move(key));
  }
  return list_key("range", std::move(bounds), false);
}

/// Every other operand of a mapping matches only an existing value, so `exists: true` adds nothing.
std::string Condition::all_key() const {
  std::vector<std::string> subkeys;
  for (const Condition& operand : operands_) {
    if (operand.kind_ != Kind::present) subkeys.push_back(operand.canonical_key());
  }
  return subkeys.size() == 1 ? subkeys.front() : list_key("all", std::move(subkeys), false);
}

std::string Condition::canonical_key() const {
  std::vector<std::string> subkeys;
  switch (kind_) {
    case Kind::present:
      return "present";
    case Kind::absent:
      return "absent";
    case Kind::range:
      return range_key();
    case Kind::all:
      return all_key();
    case Kind::any:
      // The first operand that matches captures, so the order matters.
      for (const Condition& operand : operands_) subkeys.push_back(operand.canonical_key());
      return list_key("any", std::move(subkeys), !capture_names().empty());
    case Kind::none:
      return list_key("none", {operands_.front().canonical_key()}, true);
    default:
      break;
  }
  // A text with a variable is compared as written.
  if (variable_)
    return list_key("variable", {std::string(kind_key()), written_, variable_->text()}, true);
  if (kind_ == Kind::prefix && text_.empty()) return "present";  // "*"
  return list_key(kind_key(), {text_}, true);
}

std::string_view Condition::kind_key() const {
  switch (kind_) {
    case Kind::equals:
      return "equals";
    case Kind::prefix:
      return "prefix";
    case Kind::pattern:
      return "pattern";
    case Kind::regex:
      return "regex";
    default:
      return "undecided";
  }
}

bool operator==(const Condition& a, const Condition& b) {
  return a.canonical_key() == b.canonical_key();
}

void Matcher::add_canonical_keys(std::vector<std::string>& keys) const {
  for (const Test& test : tests_) {
    std::string key(info(test.fact).word);
    add_text(key, test.argument);
    add_text(key, test.condition.canonical_key());
    keys.push_back(std::move(key));
  }
  const auto keys_of = [](const std::vector<Matcher>& blocks) {
    std::vector<std::string> subkeys;
    for (const Matcher& block : blocks) subkeys.push_back(block.canonical_key());
    return subkeys;
  };
  // A single alternative must match, so its keys are the keys of the match.
  if (any_.size() == 1) any_.front().add_canonical_keys(keys);
  if (any_.size() > 1) {
    // The first block that matches captures, so the order matters.
    const bool captures = std::ranges::any_of(
        any_, [](const Matcher& block) { return !block.capture_names().empty(); });
    keys.push_back(list_key("any", keys_of(any_), captures));
  }
  for (const Matcher& block : all_) block.add_canonical_keys(keys);
  for (const std::string& block : keys_of(except_))
    keys.push_back(list_key("except", {block}, true));
  for (const std::string& block : keys_of(ancestors_)) {
    keys.push_back(list_key("ancestor", {block}, true));
  }
}

std::string Matcher::canonical_key() const {
  std::vector<std::string> keys;
  add_canonical_keys(keys);
  // $(path) is the path that the first matching pattern of `sysfs` found.
  return list_key(rule_word(kind_),
                  {list_key("patterns", patterns_, kind_ == RuleKind::sysfs),
                   list_key("all", std::move(keys), false)},
                  true);
}

bool operator==(const Matcher& a, const Matcher& b) {
  return a.canonical_key() == b.canonical_key();
}

}  // namespace patchbay::rules
