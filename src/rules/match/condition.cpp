#include "rules/match/condition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace patchbay::rules {
namespace {

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", printable(text)); }

}  // namespace

bool Condition::constrains_one_value() const {
  return kind_ == Kind::range || kind_ == Kind::regex;
}

std::string_view Condition::word(Comparison order) {
  switch (order) {
    case Comparison::gt:
      return "gt";
    case Comparison::ge:
      return "ge";
    case Comparison::lt:
      return "lt";
    case Comparison::le:
      return "le";
  }
  return "";
}

bool Condition::in_range(std::string_view value) const {
  const auto number = parse_number(value);
  if (!number) return false;
  return std::ranges::all_of(bounds_, [&](const Bound& bound) {
    switch (bound.order) {
      case Comparison::gt:
        return *number > bound.number;
      case Comparison::ge:
        return *number >= bound.number;
      case Comparison::lt:
        return *number < bound.number;
      case Comparison::le:
        return *number <= bound.number;
    }
    return false;
  });
}

bool Condition::regex_matches(std::string_view value, Captures* captures) const {
  const auto& names = pattern_->NamedCapturingGroups();
  if (captures == nullptr || names.empty()) return re2::RE2::FullMatch(value, *pattern_);
  std::vector<re2::StringPiece> groups(static_cast<size_t>(pattern_->NumberOfCapturingGroups()) +
                                       1);
  if (!pattern_->Match(value, 0, value.size(), re2::RE2::ANCHOR_BOTH, groups.data(),
                       static_cast<int>(groups.size()))) {
    return false;
  }
  for (const auto& [name, index] : names) {
    const re2::StringPiece& group = groups[static_cast<size_t>(index)];
    if (!group.empty()) captures->insert_or_assign(name, std::string(group.data(), group.size()));
  }
  return true;
}

bool Condition::matches_value(std::string_view value, Captures* captures) const {
  switch (kind_) {
    case Kind::equals:
      return value == text_;
    case Kind::prefix:
      return value.starts_with(text_);
    case Kind::pattern:
      return re2::RE2::FullMatch(value, *pattern_);
    case Kind::range:
      return in_range(value);
    case Kind::regex:
      return regex_matches(value, captures);
    default:
      return false;  // Not a condition on one value.
  }
}

/// All operands must match the same value. `regex` is the last operand, so that it captures only on
/// a match.
bool Condition::all_match(std::span<const std::string_view> values, Captures* captures,
                          Undecided undecided) const {
  for (const Condition& operand : operands_) {
    if (!operand.constrains_one_value() && !operand.matches(values, nullptr, undecided))
      return false;
  }
  const auto meets = [&](std::string_view value) {
    return std::ranges::all_of(operands_, [&](const Condition& operand) {
      return !operand.constrains_one_value() || operand.matches_value(value, captures);
    });
  };
  if (std::ranges::none_of(operands_, &Condition::constrains_one_value)) return true;
  return std::ranges::any_of(values, meets);
}

bool Condition::matches(std::span<const std::string_view> values, Captures* captures,
                        Undecided undecided) const {
  const auto operand_matches = [&](const Condition& operand) {
    return operand.matches(values, captures, undecided);
  };
  switch (kind_) {
    case Kind::present:
      return !values.empty();
    case Kind::absent:
      return values.empty();
    case Kind::any:
      return std::ranges::any_of(operands_, operand_matches);
    case Kind::all:
      return all_match(values, captures, undecided);
    case Kind::none:
      return !values.empty() && !operands_.front().matches(values, nullptr, opposite(undecided));
    case Kind::undecided:
      // An absent value does not match.
      return !values.empty() && undecided == Undecided::matches;
    default:
      return std::ranges::any_of(
          values, [&](std::string_view value) { return matches_value(value, captures); });
  }
}

std::vector<std::string> Condition::capture_names() const {
  std::vector<std::string> names;
  if (kind_ == Kind::none) return names;
  if (kind_ == Kind::regex) {
    for (const auto& [name, index] : pattern_->NamedCapturingGroups()) names.push_back(name);
  }
  for (const Condition& operand : operands_) {
    for (std::string& name : operand.capture_names()) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

std::vector<std::string> Condition::fnmatch_cover() const {
  std::vector<std::string> cover;
  if (kind_ == Kind::equals) {
    std::string escaped;
    for (const char c : text_) {
      if (std::string_view("*?[\\").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
    return {escaped};
  }
  if (kind_ == Kind::prefix || kind_ == Kind::pattern) {
    const bool ascii = std::ranges::all_of(written_, [](char c) {
      return static_cast<unsigned char>(c) < 0x80;  // On arm64 a char is never negative.
    });
    return {ascii ? written_ : "*"};
  }
  if (kind_ == Kind::any) {
    for (const Condition& operand : operands_) {
      for (std::string& pattern : operand.fnmatch_cover()) cover.push_back(std::move(pattern));
    }
    return cover;
  }
  return {"*"};
}

std::string Condition::to_text() const {
  std::vector<std::string> operands;
  for (const Condition& operand : operands_) operands.push_back(operand.to_text());
  for (const Bound& bound : bounds_) {
    const bool is_plain = printable(bound.written) == bound.written;
    operands.push_back(
        fmt::format("{}: {}", word(bound.order), is_plain ? bound.written : quoted(bound.written)));
  }
  switch (kind_) {
    case Kind::present:
      return "{exists: true}";
    case Kind::absent:
      return "{exists: false}";
    case Kind::any:
      return fmt::format("[{}]", join(operands, ", "));
    case Kind::all:
      for (std::string& operand : operands) {
        if (operand.starts_with('{')) operand = operand.substr(1, operand.size() - 2);
      }
      return fmt::format("{{{}}}", join(operands, ", "));
    case Kind::range:
      return fmt::format("{{{}}}", join(operands, ", "));
    case Kind::none:
      return fmt::format("{{not: {}}}", operands.front());
    case Kind::regex:
      return fmt::format("{{regex: {}}}", quoted(written_));
    default:
      return quoted(written_);
  }
}

}  // namespace patchbay::rules
