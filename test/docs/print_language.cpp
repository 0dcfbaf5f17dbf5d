// Prints the keys and variables of the configuration, for the tests of the documents. It prints a
// JSON line for each key of each block, and for each variable of each kind of rule. Then it prints
// the privileges that the manifest gives.
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/keys.h"
#include "rules/needs/granted.h"
#include "rules/text/variable.h"

int main() {
  using namespace patchbay;
  for (const config::BlockInfo& block : config::language()) {
    for (const config::KeyInfo& key : block.keys) {
      const nlohmann::json line{{"block", block.name},
                                {"key", key.name},
                                {"required", key.required},
                                {"example", key.example},
                                {"default", key.default_value}};
      fmt::print("{}\n", line.dump());
    }
  }
  for (const auto kind :
       {RuleKind::subsystem, RuleKind::sysfs, RuleKind::glob, RuleKind::static_name}) {
    for (const std::string_view word : rules::variable_words(kind)) {
      const rules::VariableInfo& variable = *rules::find_variable(word);
      fmt::print(R"({{"rule": "{}", "variable": "{}", "whole_path": {}}})"
                 "\n",
                 rule_word(kind), std::string(word) + (variable.has_argument ? ".NAME" : ""),
                 variable.whole_path);
    }
  }
  for (const auto& mount : rules::manifest_daemon_set().mounts) {
    fmt::print(R"({{"mount": "{}", "writable": {}}})"
               "\n",
               mount.path, mount.writable);
  }
  for (const std::string& name : rules::manifest_daemon_set().variables) {
    fmt::print(R"({{"environment": "{}"}})"
               "\n",
               name);
  }
  return 0;
}
