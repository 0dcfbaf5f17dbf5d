#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/number.h"

namespace re2 {
class RE2;
}

namespace patchbay::rules {

/// Named groups of the regexes that matched: $(capture.NAME). Empty ones are left out.
using Captures = std::map<std::string, std::string, std::less<>>;

/// A condition on a value, compiled: data that can be printed and compared. Immutable; any thread.
/// The cost of holds() is linear in the value, whatever the value is.
class Condition {
 public:
  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<Condition> compile(const config::ConditionSpec& spec,
                                                        config::Diagnostics& diagnostics);

  /// Whether it holds for a thing that has these values: none if it is absent, several for tags and
  /// links, of which one must meet it (`not`: none). An empty value counts as absent. Writes the
  /// named groups to `captures`, if given, only when it holds.
  [[nodiscard]] bool holds(std::span<const std::string> values, Captures* captures = nullptr) const;

  /// The names of the groups that it can capture.
  [[nodiscard]] std::vector<std::string> capture_names() const;

  /// Names and fnmatch patterns, one of which matches whatever value this holds for; {"*"} if there
  /// is no narrower answer.
  [[nodiscard]] std::vector<std::string> fnmatch_cover() const;

  /// As a person would write it, on one line.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const Condition& a, const Condition& b);

 private:
  enum class Kind {
    equals,   ///< text_ is the value.
    prefix,   ///< text_ begins the value.
    pattern,  ///< pattern_ matches the whole value; written_ is a glob.
    range,    ///< The value is a number that keeps all of bounds_.
    regex,    ///< pattern_ matches the whole value; written_ is a regex.
    present,  ///< exists: true
    absent,   ///< exists: false
    any,      ///< A list.
    all,      ///< A mapping with several keys; a regex is the last of parts_.
    none,     ///< not
  };

  enum class Order { gt, ge, lt, le };
  struct Bound {
    Order order = Order::gt;
    Number number = 0;
    std::string written;
    friend bool operator==(const Bound&, const Bound&) = default;
  };

  Condition(Kind kind, std::string written) : kind_(kind), written_(std::move(written)) {}

  static std::optional<Condition> compile_text(const config::ConditionSpec& spec,
                                               config::Diagnostics& diagnostics);
  static std::optional<Condition> compile_list(const config::ConditionSpec& spec,
                                               config::Diagnostics& diagnostics);
  static std::optional<Condition> compile_mapping(const config::ConditionSpec& spec,
                                                  config::Diagnostics& diagnostics);
  static std::optional<Condition> compile_regex(const config::Located<std::string>& regex,
                                                config::Diagnostics& diagnostics);
  static std::optional<Condition> compile_range(const config::ConditionSpec& spec,
                                                config::Diagnostics& diagnostics);
  static std::string_view word(Order order);
  [[nodiscard]] bool in_range(const std::string& value) const;
  [[nodiscard]] bool about_one_value() const;
  [[nodiscard]] bool holds_for(const std::string& value, Captures* captures) const;
  [[nodiscard]] bool all_hold(std::span<const std::string> values, Captures* captures) const;
  [[nodiscard]] bool regex_holds(const std::string& value, Captures* captures) const;

  Kind kind_ = Kind::equals;
  std::string written_;
  std::string text_;
  std::shared_ptr<const re2::RE2> pattern_;
  std::vector<Bound> bounds_;
  std::vector<Condition> parts_;
};

}  // namespace patchbay::rules
