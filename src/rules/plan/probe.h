#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "model/check.h"
#include "rules/match/condition.h"
#include "rules/plan/entry.h"
#include "rules/text/template.h"

namespace patchbay::rules {

/// The period of a probe, and the number of equal results in a row that change the health.
struct ProbeTiming {
  std::chrono::milliseconds period = std::chrono::seconds(10);
  std::chrono::milliseconds timeout = std::chrono::seconds(2);
  size_t failure_threshold = 3;
  size_t success_threshold = 1;
  friend bool operator==(const ProbeTiming&, const ProbeTiming&) = default;
};

/// The verdict of a probe on a unit.
struct Verdict {
  enum class Kind {
    passed,
    failed,
    cannot_run,  ///< Failed, but the device is not the cause.
  };
  Kind kind = Kind::passed;
  std::string reason{};  ///< Such as `carrier is "0"`. Empty if passed.
};

/// Returns the verdict on the result of a check. To pass, the values that the check read must meet
/// the conditions.
[[nodiscard]] Verdict judge(const Check& check, std::span<const Condition> conditions,
                            const CheckResult& result);

/// A compiled item of `health`. It can be printed and compared. Immutable; any thread.
struct ProbePlan {
  /// A condition on a value that the check reads.
  struct Test {
    std::string name;              ///< Name of an attribute or property, or the path of a file as
                                   ///< written.
    std::optional<Template> path;  ///< Path of a file.
    Condition condition;
    friend bool operator==(const Test&, const Test&) = default;
  };

  Check::Kind kind = Check::Kind::open;
  std::vector<Template> texts;  ///< open: the path; exec: all arguments; tcp: the address.
  bool read = true;             ///< open: for reading.
  bool write = false;           ///< open: for writing.
  std::vector<Test> tests;      ///< The conditions on attributes, properties and files.
  ProbeTiming timing;
  Multiplicity multiplicity;
  WrittenAt at;

  /// Reports every mistake. Returns null after a mistake.
  [[nodiscard]] static std::optional<ProbePlan> compile(const config::ProbeSpec& spec,
                                                        const TemplateRules& rules,
                                                        config::Diagnostics& diagnostics);

  /// The check of one unit, and the conditions on its result.
  struct Rendered {
    Check check;
    std::vector<Condition> conditions;  ///< One condition per test.
  };
  /// Inserts the values of one unit. The error says why this is impossible.
  [[nodiscard]] Result<Rendered> render(const RenderScope& scope) const;
  [[nodiscard]] Result<Check> render_check(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;
  /// The probe as written in YAML, on one line.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const ProbePlan&, const ProbePlan&) = default;
};

}  // namespace patchbay::rules

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<rules::Verdict::Kind>{"passed", "failed",
                                                                              "error"};
}  // namespace patchbay
