// Prints the language as the readers and templates know it, for the tests of the documents: a line
// of JSON for each key of each block, and for each variable of each kind of rule.
#include <string>

#include <fmt/format.h>

#include "config/keys.h"
#include "rules/variable.h"

int main() {
  using namespace patchbay;
  for (const config::BlockInfo& block : config::language()) {
    for (const config::KeyInfo& key : block.keys) {
      fmt::print(R"({{"block": "{}", "key": "{}", "required": {}}})"
                 "\n",
                 block.name, key.name, key.required);
    }
  }
  for (const auto kind :
       {rules::RuleKind::subsystem, rules::RuleKind::sysfs, rules::RuleKind::glob}) {
    for (const std::string_view word : rules::variable_words(kind)) {
      const rules::VariableInfo& variable = *rules::find_variable(word);
      fmt::print(R"({{"rule": "{}", "variable": "{}", "whole_path": {}}})"
                 "\n",
                 rules::rule_word(kind), std::string(word) + (variable.has_argument ? ".NAME" : ""),
                 variable.whole_path);
    }
  }
  return 0;
}
