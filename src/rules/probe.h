#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/words.h"
#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/condition.h"
#include "rules/entry.h"
#include "rules/template.h"

namespace patchbay::rules {

/// When a probe runs and how many results in a row count.
struct ProbeTiming {
  std::chrono::milliseconds period = std::chrono::seconds(10);
  std::chrono::milliseconds timeout = std::chrono::seconds(2);
  size_t failure_threshold = 3;
  size_t success_threshold = 1;
  friend bool operator==(const ProbeTiming&, const ProbeTiming&) = default;
};

/// What a probe says of a unit.
struct Verdict {
  enum class Kind {
    passed,
    failed,
    cannot_run,  ///< Counts as failed, unless ProbePlan::ignores_errors.
  };
  Kind kind = Kind::passed;
  std::string reason{};  ///< Unless passed: `carrier is "0"`.
};

/// What the result of a check says, of which these conditions must hold.
[[nodiscard]] Verdict judge(const Check& check, std::span<const Condition> conditions,
                            const CheckResult& result);

/// One item of `health`, compiled: data that can be printed and compared. Immutable; any thread.
struct ProbePlan {
  /// A condition on a value that the check reads.
  struct Test {
    std::string name;              ///< Of an attribute or property; of a file, its path as written.
    std::optional<Template> path;  ///< Of a file.
    Condition condition;
    friend bool operator==(const Test&, const Test&) = default;
  };

  Check::Kind kind = Check::Kind::open;
  std::vector<Template> texts;  ///< open: the path; exec: all arguments; tcp: the address.
  bool read = true;             ///< open
  bool write = false;
  std::vector<Test> tests;  ///< attributes, properties, files
  ProbeTiming timing;
  bool initially_healthy = true;
  bool ignores_errors = false;  ///< `onError: ignore`
  Multiplicity multiplicity;
  WrittenAt at;

  /// Null if something is wrong with it; every mistake is reported.
  [[nodiscard]] static std::optional<ProbePlan> compile(const config::ProbeSpec& spec,
                                                        const config::ProbeOptionsSpec& defaults,
                                                        const TemplateRules& rules,
                                                        config::Diagnostics& diagnostics);

  /// What to find out for one unit, and what must hold of it.
  struct Rendered {
    Check check;
    std::vector<Condition> conditions;  ///< Of each of the tests.
  };
  /// Or why it cannot be known.
  [[nodiscard]] Result<Rendered> render(const RenderScope& scope) const;
  [[nodiscard]] Result<Check> render_check(const RenderScope& scope) const;
  /// See Template::want().
  void want(WantedFacts& wanted, std::string_view member) const;
  /// As a person would write it, on one line.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const ProbePlan&, const ProbePlan&) = default;
};

/// Reports what is wrong with the options that are defaults for all probes of a file. False if
/// something is.
bool check_probe_options(const config::ProbeOptionsSpec& spec, config::Diagnostics& diagnostics);

/// `flap`: so many changes of health within a time, and the unit is unhealthy for another.
struct FlapPlan {
  size_t changes = 0;
  std::chrono::milliseconds within{};
  std::chrono::milliseconds hold{};

  [[nodiscard]] static std::optional<FlapPlan> compile(const config::FlapSpec& spec,
                                                       config::Diagnostics& diagnostics);
  friend bool operator==(const FlapPlan&, const FlapPlan&) = default;
};

}  // namespace patchbay::rules

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<rules::Verdict::Kind>{"passed", "failed",
                                                                              "cannotRun"};
}  // namespace patchbay
