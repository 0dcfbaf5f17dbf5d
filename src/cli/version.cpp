#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/terminal.h"

namespace patchbay::cli {

int version(OutputFormat output) {
  if (output == OutputFormat::json) {
    Json json;
    json["version"] = PATCHBAY_VERSION;
    json["config"] = "patchbay/v1";
    json["devicePluginApi"] = "v1beta1";
    return exit_code_of(print(json_text(json)));
  }
  return exit_code_of(
      print("patchbay " PATCHBAY_VERSION " (config patchbay/v1, device plugin API v1beta1)\n"));
}

}  // namespace patchbay::cli
