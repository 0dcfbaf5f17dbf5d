#include <fmt/format.h>

#include "base/json_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/program_status.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {

int version(OutputFormat output) {
  const Build built = build();
  if (output == OutputFormat::json) {
    Json json;
    json["version"] = built.version;
    json["commit"] = built.commit;
    json["commitDate"] = built.date;
    json["configVersion"] = "patchbay/v1";
    json["devicePluginApi"] = "v1beta1";
    return exit_code_of(print(json_text(json)));
  }
  std::string commit;
  if (*built.commit != '\0') commit = fmt::format(", commit {} of {}", built.commit, built.date);
  return exit_code_of(print(fmt::format(
      "patchbay {}{} (config patchbay/v1, device plugin API v1beta1)\n", built.version, commit)));
}

}  // namespace patchbay::cli
