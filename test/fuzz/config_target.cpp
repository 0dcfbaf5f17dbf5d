#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "config/diagnostics.h"
#include "config/manifest.h"
#include "config/spec_reader.h"
#include "fuzz/must.h"
#include "fuzz/targets.h"
#include "rules/compile.h"
#include "rules/needs/needs.h"
#include "rules/plan/plan.h"

namespace patchbay::fuzz {
namespace {

using config::Diagnostics;
using config::Source;

struct Compiled {
  rules::PlanPtr plan;
  std::string printed;
  bool ok = false;
};

Compiled compile_text(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<config::Spec> specs;
  const auto file = std::make_shared<const Source>(Source{"fuzz.yaml", text});
  for (const auto& source : config::extract_configurations(file, diagnostics)) {
    specs.push_back(config::read_spec(source, diagnostics));
  }
  Compiled out;
  out.plan = rules::compile(specs, {.node = "bench-1"}, diagnostics);
  out.ok = diagnostics.ok();
  out.printed = config::render(diagnostics);
  return out;
}

/// Checks that printed lines contain no control sequences of a terminal, whatever the file
/// contains.
void check_printed(const std::string& printed) {
  for (const std::string_view line : split(printed, '\n')) {
    must_be_plain(line, "a line of a diagnostic is plain text");
  }
}

/// Checks the host query of the plan with a device of each kind.
void check_query(const rules::PlanPtr& plan) {
  DeviceFacts cheap;
  cheap.key = "/sys/devices/x/ttyUSB0";
  cheap.name = "ttyUSB0";
  cheap.subsystem = "tty";
  cheap.devnode = "/dev/ttyUSB0";
  const HostQueryPtr query = rules::host_query(plan);
  (void)query->wanted(cheap);
  if (query->files) {
    for (const std::string& file : query->files(cheap)) {
      must(file.starts_with('/'), "files that are asked for are absolute", file);
    }
  }
  (void)rules::examination_query(plan)->wanted(cheap);
}

}  // namespace

void examine_config(std::string_view data) {
  const std::string text(data);
  const Compiled once = compile_text(text);
  check_printed(once.printed);
  must(once.ok || once.plan == nullptr, "no plan of a configuration with a mistake", once.printed);
  must(!once.ok || once.plan != nullptr, "a plan, or a mistake that says why not");
  if (!once.plan) return;
  check_query(once.plan);
  (void)rules::needs(*once.plan);
  const Compiled again = compile_text(text);
  must(again.plan != nullptr && again.printed == once.printed, "the same at each reading");
  must(again.plan->resources.size() == once.plan->resources.size(), "the same resources");
  const rules::PlanPtr kept = rules::reuse_unchanged(again.plan, *once.plan);
  for (size_t i = 0; i < kept->resources.size(); ++i) {
    must(kept->resources[i] == once.plan->resources[i],
         "a resource that is read again means the same", kept->resources[i]->name);
  }
}

}  // namespace patchbay::fuzz
