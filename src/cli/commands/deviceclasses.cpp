#include <string>

#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "dra/device_class.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {

int deviceclasses(const ConfigOptions& options) {
  const ConfigInput input = read_config(options);
  if (!input.plan) return input.exit_code;
  std::string text;
  for (const rules::ResourcePlanPtr& resource : input.plan->resources) {
    if (resource->serve != config::Serve::dra) continue;
    if (!text.empty()) text += "---\n";
    text += dra::device_class_yaml(input.plan->driver, *resource);
  }
  if (text.empty()) return report_failure({"no resource has `serve: dra`: add it to a resource"});
  return exit_code_of(print(text));
}

}  // namespace patchbay::cli
