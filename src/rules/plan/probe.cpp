#include "rules/plan/probe.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/duration.h"
#include "base/text.h"
#include "base/whole_number.h"
#include "rules/match/match_checks.h"
#include "rules/plan/program_compile.h"
#include "rules/text/attribute_name.h"
#include "rules/text/plain_text.h"
#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMinPeriod{100};
constexpr milliseconds kMaxPeriod = std::chrono::hours(24);
constexpr milliseconds kMinTimeout{10};
constexpr milliseconds kMaxTimeout = std::chrono::minutes(5);
constexpr size_t kMaxThreshold = 1000;

/// Reads a whole number from 1 to kMaxThreshold. Otherwise reports it and leaves `out` unchanged.
void read_threshold(const std::optional<config::Located<std::string>>& written,
                    std::string_view key, size_t& out, config::Diagnostics& diagnostics) {
  if (!written) return;
  const auto value = parse_whole<size_t>(written->value);
  if (value && *value >= 1 && *value <= kMaxThreshold) {
    out = *value;
    return;
  }
  diagnostics.error(written->at, fmt::format("bad {} '{}'", key, printable(written->value)),
                    fmt::format("write a whole number from 1 to {}", kMaxThreshold));
}

void read_time(const std::optional<config::Located<milliseconds>>& written, std::string_view key,
               milliseconds least, milliseconds most, milliseconds& out,
               config::Diagnostics& diagnostics) {
  if (!written) return;
  if (written->value >= least && written->value <= most) {
    out = written->value;
    return;
  }
  diagnostics.error(
      written->at, fmt::format("'{}' is out of range", key),
      fmt::format("write a value from {} to {}", duration_text(least), duration_text(most)));
}

void read_options(const config::ProbeOptionsSpec& spec, ProbeTiming& timing,
                  config::Diagnostics& diagnostics) {
  read_time(spec.period, "period", kMinPeriod, kMaxPeriod, timing.period, diagnostics);
  read_time(spec.timeout, "timeout", kMinTimeout, kMaxTimeout, timing.timeout, diagnostics);
  read_threshold(spec.failure_threshold, "failureThreshold", timing.failure_threshold, diagnostics);
  read_threshold(spec.success_threshold, "successThreshold", timing.success_threshold, diagnostics);
}

/// Compiles one probe. Each step reports its mistakes and continues.
class ProbeCompiler {
 public:
  ProbeCompiler(const config::ProbeSpec& spec, const TemplateRules& rules,
                config::Diagnostics& diagnostics)
      : spec_(spec), rules_(rules), diagnostics_(diagnostics) {}

  std::optional<ProbePlan> compile();

 private:
  void add_text(const config::Located<std::string>& text, TextUse use);
  void compile_kind();
  void compile_open();
  void compile_exec();
  void compile_tests();
  std::optional<Template> compile_name(const config::Located<std::string>& name);

  const config::ProbeSpec& spec_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
  ProbePlan out_;
  config::ErrorCheckpoint errors_{diagnostics_};
};

void ProbeCompiler::add_text(const config::Located<std::string>& text, TextUse use) {
  auto compiled = Template::compile(text, use, rules_, diagnostics_);
  if (compiled) out_.texts.push_back(*std::move(compiled));
}

void ProbeCompiler::compile_open() {
  add_text(spec_.text, TextUse::path);
  if (!spec_.mode) return;
  out_.read = spec_.mode->value != config::OpenMode::write;
  out_.write = spec_.mode->value != config::OpenMode::read;
}

void ProbeCompiler::compile_exec() {
  out_.texts = compile_program(spec_.arguments, rules_, diagnostics_);
}

/// Returns the path of a file.
std::optional<Template> ProbeCompiler::compile_name(const config::Located<std::string>& name) {
  if (out_.kind == Check::Kind::files) {
    auto path = Template::compile(name, TextUse::path, rules_, diagnostics_);
    check_one_file(name, diagnostics_);
    return path;
  }
  if (out_.kind == Check::Kind::properties) {
    check_property_name(name, diagnostics_);
  } else if (const auto fault = attribute_name_fault(name.value)) {
    diagnostics_.error(name.at, fmt::format("the attribute '{}' {}", name.value, *fault),
                       kAttributeHint);
  }
  return std::nullopt;
}

void ProbeCompiler::compile_tests() {
  for (const auto& [name, condition] : spec_.conditions) {
    auto path = compile_name(name);
    auto compiled = Condition::compile(condition, {.variables = &rules_}, diagnostics_);
    if (!compiled) continue;
    if (!compiled->capture_names().empty()) {
      diagnostics_.error(condition.at, "a regex in a probe cannot capture",
                         "remove the name of the group: write (…) instead of (?P<name>…)");
    }
    out_.tests.push_back({name.value, std::move(path), *std::move(compiled)});
  }
  const bool of_device =
      out_.kind == Check::Kind::attributes || out_.kind == Check::Kind::properties;
  if (of_device && !info(Fact::attribute).variable_in.contains(rules_.entity.kind)) {
    diagnostics_.error(spec_.kind.at,
                       fmt::format("'{}' is not available in a {} rule", word_of(out_.kind),
                                   rule_word(rules_.entity.kind)),
                       "only devices found by subsystem: or sysfs: have it");
  }
}

void ProbeCompiler::compile_kind() {
  out_.kind = spec_.kind.value;
  switch (out_.kind) {
    case Check::Kind::open:
      return compile_open();
    case Check::Kind::exec:
      return compile_exec();
    case Check::Kind::tcp:
      return add_text(spec_.text, TextUse::address);
    default:
      return compile_tests();
  }
}

std::optional<ProbePlan> ProbeCompiler::compile() {
  out_.at = {spec_.at};
  compile_kind();
  read_options(spec_.options, out_.timing, diagnostics_);
  std::vector<const Template*> texts;
  for (const Template& text : out_.texts) texts.push_back(&text);
  for (const ProbePlan::Test& test : out_.tests) {
    if (test.path) texts.push_back(&*test.path);
    test.condition.add_templates(texts);
  }
  out_.multiplicity = Multiplicity::of(texts);
  // Attributes and properties belong to the matched devices.
  if (out_.kind == Check::Kind::attributes || out_.kind == Check::Kind::properties) {
    out_.multiplicity.per_unit = out_.multiplicity.matched = true;
  }
  if (errors_.any()) return std::nullopt;
  return std::move(out_);
}

}  // namespace

std::optional<ProbePlan> ProbePlan::compile(const config::ProbeSpec& spec,
                                            const TemplateRules& rules,
                                            config::Diagnostics& diagnostics) {
  return ProbeCompiler(spec, rules, diagnostics).compile();
}

std::string ProbePlan::to_text() const {
  std::vector<std::string> items;
  for (const Template& text : texts) items.push_back(text.text());
  for (const Test& test : tests) {
    items.push_back(fmt::format("{}: {}", test.name, test.condition.to_text()));
  }
  const std::string all = join(items, ", ");
  if (kind == Check::Kind::exec) return fmt::format("exec: [{}]", all);
  return tests.empty() ? fmt::format("{}: {}", word_of(kind), all)
                       : fmt::format("{}: {{{}}}", word_of(kind), all);
}

}  // namespace patchbay::rules
