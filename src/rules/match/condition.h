#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/text/number.h"
#include "rules/text/template.h"
#include "rules/text/variable.h"

namespace re2 {
class RE2;
}

/// To add a kind of condition:
/// - Add its key to kConditionKeys (config/match_reader.cpp), and its kind here.
/// - Define the meaning of variables in it (condition_fill.cpp).
/// - Test it with no value, several values, and a variable without a value. Also test it in `not`,
///   in `except` and in a list.
namespace patchbay::rules {

/// The rules for variables, $(…), in the texts of a condition.
struct ConditionRules {
  const TemplateRules* variables = nullptr;  ///< Null: variables are not allowed.
  std::string_view context{};                ///< For messages: the key, such as "subsystem:".
  std::string_view hint{};                   ///< Why variables are not allowed, or what to write.
};

/// The result of a condition if a variable in it has no value. The result is `fails`. Inside `not`
/// and `except`, which invert results, it is `matches`. So a rule never matches because a variable
/// has no value. If the compared fact is absent, too, the condition always fails.
enum class Undecided { fails, matches };
[[nodiscard]] constexpr Undecided opposite(Undecided undecided) {
  return undecided == Undecided::fails ? Undecided::matches : Undecided::fails;
}

/// A compiled condition on a value. Conditions can be printed and compared. Immutable; any thread.
/// The cost of matches() is linear in the length of the value, for any value.
class Condition {
 public:
  /// Reports every mistake. Returns null after a mistake.
  [[nodiscard]] static std::optional<Condition> compile(const config::ConditionSpec& spec,
                                                        const ConditionRules& rules,
                                                        config::Diagnostics& diagnostics);

  /// Whether at least one of the values of a fact meets the condition. For `not`: whether there is
  /// a value, and no value meets the condition under `not`. An absent fact has no value. Tags,
  /// links and attributes with `*` can have several values. On a match, writes the named groups of
  /// the first matching value to `captures`. Call filled() first if the condition has variables.
  [[nodiscard]] bool matches(std::span<const std::string_view> values, Captures* captures = nullptr,
                             Undecided undecided = Undecided::fails) const;

  [[nodiscard]] bool has_variables() const;
  /// Adds all texts of the condition that have variables.
  void add_templates(std::vector<const Template*>& templates) const;
  /// Returns the condition with its variables replaced by the values of one device. Wildcards in
  /// these values have no effect. A condition whose variable has no value becomes `undecided`.
  [[nodiscard]] Condition filled(const RenderScope& scope) const;

  /// Returns the names of the regex groups that the condition can capture.
  [[nodiscard]] std::vector<std::string> capture_names() const;

  /// Returns names and fnmatch patterns. Every value that meets the condition matches at least one
  /// of them. Returns {"*"} if no narrower patterns are known.
  [[nodiscard]] std::vector<std::string> fnmatch_cover() const;

  /// The condition as written in YAML, on one line.
  [[nodiscard]] std::string to_text() const;

  /// Returns a text for comparisons. Conditions with different meanings have different texts. Many
  /// notations of one meaning, such as 8Gi and 8192Mi, have the same text. See canonical_key.cpp.
  [[nodiscard]] std::string canonical_key() const;
  /// Compares the canonical keys. Equal conditions match the same values and capture the same
  /// groups. Unequal conditions can still have the same meaning, for instance if their regexes
  /// differ.
  friend bool operator==(const Condition& a, const Condition& b);

 private:
  enum class Kind {
    equals,     ///< Value equal to text_.
    prefix,     ///< Value that begins with text_.
    pattern,    ///< Whole value matched by pattern_; written_ is a glob.
    range,      ///< Number within all of bounds_.
    regex,      ///< Whole value matched by pattern_; written_ is a regex.
    present,    ///< exists: true
    absent,     ///< exists: false
    any,        ///< At least one operand matches: a list.
    all,        ///< All operands match: a mapping with several keys. A regex is the last operand.
    none,       ///< The only operand does not match: `not`.
    undecided,  ///< A variable without a value.
  };

  enum class Comparison { gt, ge, lt, le };
  struct Bound {
    Comparison order = Comparison::gt;
    Number number = 0;
    std::string written;
    std::shared_ptr<const Template> variable{};  ///< Source of the number.
  };
  /// A text, plain or with variables.
  struct Text {
    std::string plain;
    std::shared_ptr<const Template> variable;
  };

  Condition(Kind kind, std::string written) : kind_(kind), written_(std::move(written)) {}

  friend class ConditionCompiler;

  /// Set the kind and the pattern. Return false if the text is not a valid glob or regex.
  bool set_glob(std::string_view text);
  bool set_regex(const std::string& text);
  [[nodiscard]] bool fill_own(const RenderScope& scope);
  static std::string_view word(Comparison order);
  [[nodiscard]] std::string_view kind_key() const;
  [[nodiscard]] std::string range_key() const;
  [[nodiscard]] std::string all_key() const;
  [[nodiscard]] bool in_range(std::string_view value) const;
  [[nodiscard]] bool constrains_one_value() const;
  [[nodiscard]] bool matches_value(std::string_view value, Captures* captures) const;
  [[nodiscard]] bool all_match(std::span<const std::string_view> values, Captures* captures,
                               Undecided undecided) const;
  [[nodiscard]] bool regex_matches(std::string_view value, Captures* captures) const;

  Kind kind_ = Kind::equals;
  std::string written_;
  std::string text_;  ///< The compared text or prefix, or the source of pattern_.
  std::shared_ptr<const re2::RE2> pattern_;
  std::shared_ptr<const Template> variable_;  ///< Source of text_ or pattern_ of a leaf.
  std::vector<Bound> bounds_;
  std::vector<Condition> operands_;
};

}  // namespace patchbay::rules
