#include "rules/plan/program_compile.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace patchbay::rules {

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
    } else if (program && argument.value.find(' ') != std::string::npos) {
      diagnostics.warning(argument.at,
                          fmt::format("the program '{}' has a space in its name", argument.value),
                          "no shell splits it: write each argument as its own list item");
    }
    texts.push_back(*std::move(text));
  }
  if (!ok) texts.clear();
  return texts;
}

}  // namespace patchbay::rules
