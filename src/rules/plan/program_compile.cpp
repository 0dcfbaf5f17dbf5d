#include "rules/plan/program_compile.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

using Arguments = std::span<const config::Located<std::string>>;

constexpr std::string_view kShells = "sh bash dash ash ksh zsh mksh rbash csh tcsh";
/// Letters of options with a value, in at least one of the shells.
constexpr std::string_view kTakeValue = "oORT";

/// The arguments that the shell at the front reads itself: options, their values and the script.
/// Empty if the program at the front only seems to run a shell: no option has a `c`.
Arguments read_by_shell(Arguments arguments, bool is_program) {
  bool runs_text = is_program;
  bool has_value = false;
  size_t at = 1;
  for (; at < arguments.size(); ++at) {
    const std::string_view text = arguments[at].value;
    const bool option = text.starts_with('-') || text.starts_with('+');
    // A value of a device can be "+c".
    runs_text = runs_text || text.starts_with("$(") ||
                (option && !text.starts_with("--") && (text.contains('c') || text.contains("$(")));
    if (!option && !has_value) break;
    has_value = option && (text.starts_with("--") ? text.size() > 2
                                                  : text.find_first_of(kTakeValue) != text.npos);
  }
  return runs_text ? arguments.first(std::min(at + 1, arguments.size())) : Arguments();
}

void report_value_in_script(const config::Located<std::string>& argument, std::string_view shell,
                            const Template& text, config::Diagnostics& diagnostics) {
  for (const Template::VariableUse& use : text.uses()) {
    if (use.variable->variable == Variable::node) continue;
    const std::string variable = use.variable->to_text();
    return diagnostics.error(
        position_in(argument, argument.value.find("$(")),
        fmt::format("the script of '{}' contains {}: the shell would run the value as a command",
                    shell, variable),
        fmt::format(
            "write it as an argument after the script: [/bin/sh, -c, 'cat \"$$1\"', sh, {}]",
            variable));
  }
}

/// Reports values that a shell would run as a part of its script. In doubt an argument is a script.
void check_script(Arguments arguments, std::span<const Template> texts,
                  config::Diagnostics& diagnostics) {
  for (size_t shell = 0; shell < arguments.size(); ++shell) {
    const std::string_view name = base_name(arguments[shell].value);
    if (!contains_word(kShells, name)) continue;
    const Arguments read = read_by_shell(arguments.subspan(shell), shell == 0);
    for (size_t at = 0; at < read.size(); ++at) {
      report_value_in_script(read[at], name, texts[shell + at], diagnostics);
    }
    if (!read.empty()) return;
  }
}

}  // namespace

std::vector<Template> compile_program(const std::vector<config::Located<std::string>>& arguments,
                                      const TemplateRules& rules,
                                      config::Diagnostics& diagnostics) {
  std::vector<Template> texts;
  bool ok = true;
  for (const auto& argument : arguments) {
    const bool program = &argument == &arguments.front();
    const TextUse use = program ? TextUse::path : TextUse::argument;
    auto text = Template::compile(argument, use, rules, diagnostics);
    ok = ok && text;
    if (!text) continue;
    if (program && !text->uses().empty()) {
      diagnostics.error(
          argument.at, "the program of 'exec' cannot contain a variable",
          "write one program, and pass text that depends on the device as an argument");
      ok = false;
    }
    texts.push_back(*std::move(text));
  }
  if (ok) check_script(arguments, texts, diagnostics);
  if (!ok) texts.clear();
  return texts;
}

}  // namespace patchbay::rules
