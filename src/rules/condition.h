#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/captures.h"
#include "rules/number.h"
#include "rules/template.h"

namespace re2 {
class RE2;
}

namespace patchbay::rules {

/// What $(…) may stand for in the texts of a condition.
struct ConditionRules {
  const TemplateRules* variables = nullptr;  ///< Null: none may stand there,
  std::string_view context{};                ///< where that is: "subsystem:",
  std::string_view hint{};                   ///< and why, or what to write.
};

/// What counts for a condition that cannot be decided, since a variable in it has no value: it
/// fails in what must hold, and holds in what must not, so that nothing is matched by that.
enum class Undecided { fails, matches };
[[nodiscard]] constexpr Undecided opposite(Undecided undecided) {
  return undecided == Undecided::fails ? Undecided::matches : Undecided::fails;
}

/// A condition on a value, compiled: data that can be printed and compared. Immutable; any thread.
/// The cost of matches() is linear in the value, whatever the value is.
class Condition {
 public:
  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<Condition> compile(const config::ConditionSpec& spec,
                                                        const ConditionRules& rules,
                                                        config::Diagnostics& diagnostics);

  /// Whether it holds for a thing that has these values: none if it is absent, several for tags,
  /// links and attributes with `*`, of which one must meet it (`not`: none). An empty value counts
  /// as absent. Writes the named groups, of the first value that meets it, to `captures`, if given,
  /// only when it holds. What has variables is filled() before.
  [[nodiscard]] bool matches(std::span<const std::string_view> values, Captures* captures = nullptr,
                             Undecided undecided = Undecided::fails) const;

  /// Whether there are variables in it.
  [[nodiscard]] bool has_variables() const;
  /// All its texts that have some.
  void add_templates(std::vector<const Template*>& templates) const;
  /// The same with the values of one device for the variables, each of which stands for itself.
  /// What lacks a value is undecided.
  [[nodiscard]] Condition filled(const RenderScope& scope) const;

  /// The names of the groups that it can capture.
  [[nodiscard]] std::vector<std::string> capture_names() const;

  /// Names and fnmatch patterns, one of which matches whatever value this holds for; {"*"} if there
  /// is no narrower answer.
  [[nodiscard]] std::vector<std::string> fnmatch_cover() const;

  /// As a person would write it, on one line.
  [[nodiscard]] std::string to_text() const;

  /// A key for what it means, see rules/canonical_key.h.
  [[nodiscard]] std::string canonical_key() const;
  /// Whether both hold for the same values and capture the same, however they are written.
  friend bool operator==(const Condition& a, const Condition& b);

 private:
  enum class Kind {
    equals,     ///< text_ is the value.
    prefix,     ///< text_ begins the value.
    pattern,    ///< pattern_ matches the whole value; written_ is a glob.
    range,      ///< The value is a number that keeps all of bounds_.
    regex,      ///< pattern_ matches the whole value; written_ is a regex.
    present,    ///< exists: true
    absent,     ///< exists: false
    any,        ///< A list.
    all,        ///< A mapping with several keys; a regex is the last of parts_.
    none,       ///< not
    undecided,  ///< A variable in it has no value.
  };

  enum class Comparison { gt, ge, lt, le };
  struct Bound {
    Comparison order = Comparison::gt;
    Number number = 0;
    std::string written;
    std::shared_ptr<const Template> variable{};  ///< Gives the number.
  };
  /// A text as it stands, or one with variables.
  struct Text {
    std::string plain;
    std::shared_ptr<const Template> variable;
  };

  Condition(Kind kind, std::string written) : kind_(kind), written_(std::move(written)) {}

  friend class ConditionCompiler;

  /// What it then is; false: no glob, or no regex.
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
  std::string text_;  ///< Of a pattern or regex, what it was made of.
  std::shared_ptr<const re2::RE2> pattern_;
  std::shared_ptr<const Template> variable_;  ///< Gives text_ or pattern_ of a leaf.
  std::vector<Bound> bounds_;
  std::vector<Condition> operands_;
};

}  // namespace patchbay::rules
