#include "rules/plan/step.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rules/plan/program_compile.h"

namespace patchbay::rules {
namespace {

/// The node of the USB device, which the host reads together with the keys of `usb:`.
const VariableRef kUsbNode{Fact::usb, "devnode"};

/// Compiles one step. It reports its mistakes and continues.
class StepCompiler {
 public:
  StepCompiler(const config::StepSpec& spec, std::chrono::milliseconds budget,
               const TemplateRules& rules, config::Diagnostics& diagnostics)
      : spec_(spec), budget_(budget), rules_(rules), diagnostics_(diagnostics) {}

  std::optional<StepPlan> compile();

 private:
  void add_text(const config::Located<std::string>& text, TextUse use);
  void compile_exec();
  void compile_write();
  void compile_usb_reset();
  void compile_wait();

  const config::StepSpec& spec_;
  std::chrono::milliseconds budget_;
  const TemplateRules& rules_;
  config::Diagnostics& diagnostics_;
  StepPlan out_;
  config::ErrorCheckpoint errors_{diagnostics_};
};

void StepCompiler::add_text(const config::Located<std::string>& text, TextUse use) {
  auto compiled = Template::compile(text, use, rules_, diagnostics_);
  if (compiled) out_.texts.push_back(*std::move(compiled));
}

void StepCompiler::compile_exec() {
  out_.texts = compile_program(spec_.arguments, rules_, diagnostics_);
}

void StepCompiler::compile_write() {
  add_text(spec_.path, TextUse::path);
  out_.value = Template::compile(spec_.value, TextUse::value, rules_, diagnostics_);
}

void StepCompiler::compile_usb_reset() {
  if (!spec_.usb_reset.value) {
    diagnostics_.error(spec_.usb_reset.at, "'usbReset: false' has no effect", "remove it");
  }
  if (!info(Fact::usb).variable_in.contains(rules_.entity.kind)) {
    diagnostics_.error(
        spec_.kind.at,
        fmt::format("'usbReset' is not available in a {} rule", rule_word(rules_.entity.kind)),
        "only devices found by subsystem: or sysfs: can be below a USB device");
  }
}

void StepCompiler::compile_wait() {
  add_text(spec_.path, TextUse::path);
  out_.limit = std::chrono::seconds(2);
  if (!spec_.wait_for) return;
  out_.limit = spec_.wait_for->value;
  if (out_.limit <= std::chrono::milliseconds::zero() || out_.limit > budget_) {
    diagnostics_.error(
        spec_.wait_for->at, "'for' is out of range",
        fmt::format("write more than 0 and at most {}s, the limit of all steps together",
                    std::chrono::duration<double>(budget_).count()));
  }
}

std::optional<StepPlan> StepCompiler::compile() {
  out_.at = {spec_.at};
  out_.kind = spec_.kind.value;
  switch (out_.kind) {
    case Step::Kind::exec:
      compile_exec();
      break;
    case Step::Kind::write:
      compile_write();
      break;
    case Step::Kind::usb_reset:
      compile_usb_reset();
      break;
    case Step::Kind::wait:
      compile_wait();
      break;
  }
  std::vector<const Template*> texts;
  for (const Template& text : out_.texts) texts.push_back(&text);
  if (out_.value) texts.push_back(&*out_.value);
  out_.multiplicity = Multiplicity::of(texts);
  if (out_.kind == Step::Kind::usb_reset)
    out_.multiplicity.per_unit = out_.multiplicity.matched = true;
  if (errors_.any()) return std::nullopt;
  return std::move(out_);
}

}  // namespace

std::optional<StepPlan> StepPlan::compile(const config::StepSpec& spec,
                                          std::chrono::milliseconds budget,
                                          const TemplateRules& rules,
                                          config::Diagnostics& diagnostics) {
  return StepCompiler(spec, budget, rules, diagnostics).compile();
}

Result<Step> StepPlan::render(const RenderScope& scope) const {
  Step step{.kind = kind, .limit = limit};
  std::vector<std::string> rendered;
  for (const Template& text : texts) {
    auto one = text.render(scope);
    if (!one) return std::unexpected(std::move(one).error());
    rendered.push_back(*std::move(one));
  }
  if (kind == Step::Kind::exec) {
    step.arguments = std::move(rendered);
    return step;
  }
  if (kind == Step::Kind::usb_reset) {
    const auto node = value_of(kUsbNode, scope);
    if (!node) return fail("'usbReset' needs a USB device: this device is not below one");
    auto path = safe_value({Fact::devnode}, *node, TextUse::path);
    if (!path) return std::unexpected(std::move(path).error());
    step.path = *std::move(path);
    return step;
  }
  step.path = std::move(rendered.front());
  if (!value) return step;
  auto text = value->render(scope);
  if (!text) return std::unexpected(std::move(text).error());
  step.value = *std::move(text);
  return step;
}

void StepPlan::want(WantedFacts& wanted, std::string_view member) const {
  for (const Template& text : texts) text.want(wanted, member);
  if (value) value->want(wanted, member);
  if (kind == Step::Kind::usb_reset && member.empty()) wanted.add(kUsbNode.fact, kUsbNode.argument);
}

}  // namespace patchbay::rules
