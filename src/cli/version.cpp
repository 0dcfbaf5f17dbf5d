#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_text.h"
#include "cli/terminal.h"

namespace patchbay::cli {

int version(OutputFormat output) {
  if (output == OutputFormat::json) {
    Json json;
    json["version"] = PATCHBAY_VERSION;
    json["config"] = "patchbay/v1";
    json["devicePluginApi"] = "v1beta1";
    print(json_text(json));
  } else {
    print("patchbay " PATCHBAY_VERSION " (config patchbay/v1, device plugin API v1beta1)\n");
  }
  return kOk;
}

}  // namespace patchbay::cli
