#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "config/spec_reader.h"
#include "rules/compile.h"

namespace patchbay::rules {

/// The result of reading and compiling a configuration as the daemon does.
struct Compiled {
  PlanPtr plan;
  std::string printed;  ///< Printed diagnostics.
  std::vector<config::Diagnostic> found;
};

inline Compiled compile_files(const std::vector<config::Source>& files,
                              const std::string& node = "bench-1") {
  config::Diagnostics diagnostics;
  std::vector<config::Spec> specs;
  for (const config::Source& file : files) {
    specs.push_back(config::read_spec(std::make_shared<const config::Source>(file), diagnostics));
  }
  Compiled out;
  out.plan = compile(specs, {.node = node}, diagnostics);
  out.printed = config::render(diagnostics);
  out.found.assign(diagnostics.all().begin(), diagnostics.all().end());
  return out;
}

/// Compiles lab.yaml. `resources` is the list below `resources:`, indented by two.
inline Compiled compile_resources(const std::string& resources) {
  return compile_files(
      {{"lab.yaml", "apiVersion: patchbay/v1\nkind: Config\nresources:\n" + resources}});
}

/// Compiles one resource example.com/unit. `group` are its keys, indented by four.
inline Compiled compile_group(const std::string& group) {
  return compile_resources("  - name: example.com/unit\n" + group);
}

}  // namespace patchbay::rules
