#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/result.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/manifest_patch.h"
#include "cli/options/options.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "config/daemon_set.h"
#include "config/diagnostics.h"
#include "daemon/configuration.h"
#include "inventory/inventory.h"
#include "rules/needs/granted.h"
#include "rules/needs/need.h"
#include "rules/needs/needs.h"
#include "rules/plan/plan.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {
namespace {

/// Warns about each resource of the plan that offers no unit on the recorded machine of the
/// options. An Error names the file and the line. Blocks; see run_discovery().
Result<void> check_on_machine(const rules::PlanPtr& plan, const HostCommandOptions& host,
                              config::Diagnostics& diagnostics) {
  const auto options = host_options(host, *plan, false);
  if (!options) return std::unexpected(options.error());
  const std::string shown = printable(host.machine, 500);
  bool known = false;
  const auto end =
      run_discovery(daemon::plan_for_this_node(plan, options->root), *options,
                    [&](const inventory::Inventory& inventory) {
                      known = true;
                      for (const auto& resource : inventory.last().resources) {
                        if (!resource.snapshot->units.empty()) continue;
                        diagnostics.warning(
                            resource.snapshot->resource->at.position,
                            fmt::format("'{}' offers no unit on {}", resource.name(), shown),
                            fmt::format("`patchbay discover CONFIG --machine {}` says why", shown));
                      }
                      return false;
                    });
  if (!end) return std::unexpected(end.error());
  if (!known) return fail("stopped before the devices were known");
  return {};
}

struct KindText {
  std::string_view word;     ///< For programs.
  std::string_view heading;  ///< For people.
};

KindText text_of(rules::Need::Kind kind) {
  switch (kind) {
    case rules::Need::Kind::mount:
      return {"mount", "A mount: the Pod sees only mounted paths of the host"};
    case rules::Need::Kind::writable:
      return {"writableMount", "A writable mount: Patchbay writes there"};
    case rules::Need::Kind::privileged:
      return {"privileged", "A privileged container: other containers have no permission for this"};
    case rules::Need::Kind::net_admin:
      return {"netAdmin",
              "The capability NET_ADMIN: the kernel requires it for changes of network interfaces"};
    case rules::Need::Kind::host_network:
      return {"hostNetwork", "The host's network: the Pod has its own"};
    case rules::Need::Kind::host_pid:
      return {"hostPID", "The host's processes: the Pod has its own /proc/1"};
    case rules::Need::Kind::variable:
      return {"env", "An environment variable: the container does not have it"};
    case rules::Need::Kind::program:
      return {"program", "A program: it must be in the image or in a mounted directory"};
    case rules::Need::Kind::hidden:
      return {"hiddenPath", "Another path: container runtimes hide this one"};
    case rules::Need::Kind::token:
      return {"token", "A service account with its token: DRA needs the API server"};
  }
  return {};
}

std::string file_of_need(const rules::Need& need) {
  return need.at.source ? need.at.source->name : "";
}

/// The needs of a configuration beyond these DaemonSets, by kind, and the patch for the first one;
/// empty if there are none. Without a DaemonSet, it is that of deploy/patchbay.yaml.
std::string needs_text(std::span<const rules::Need> needs,
                       std::span<const config::DaemonSet> daemons) {
  if (needs.empty()) return "";
  std::vector<std::string> names;
  for (const config::DaemonSet& one : daemons) names.push_back("the DaemonSet " + shown(one.name));
  std::string out = fmt::format("\nIn a Pod, this needs more than {} has:\n",
                                names.empty() ? "deploy/patchbay.yaml" : join(names, " or "));
  const rules::Need* before = nullptr;
  for (const rules::Need& need : needs) {
    if (before == nullptr || before->kind != need.kind) {
      out += fmt::format("\n{}\n", text_of(need.kind).heading);
    }
    before = &need;
    out += fmt::format("  {}:{}:{}: {}\n", shown(file_of_need(need)), need.at.line, need.at.column,
                       shown(need.what));
    if (!need.hint.empty()) out += fmt::format("    {}\n", shown(need.hint));
  }
  const auto& first = daemons.empty() ? rules::manifest_daemon_set() : daemons.front();
  const Json patch = manifest_patch(needs, daemons);
  if (patch.is_null()) return out;
  return out + fmt::format(
                   "\nTo apply it as a patch: kubectl -n {} patch daemonset {} --patch-file "
                   "FILE\n\n{}",
                   shown(first.name_space.empty() ? "NAMESPACE" : first.name_space),
                   shown(first.name), yaml_of(patch));
}

/// The needs as a list, without the patch.
Json needs_json(std::span<const rules::Need> needs) {
  Json list = Json::array();
  for (const rules::Need& need : needs) {
    list.push_back({{"kind", text_of(need.kind).word},
                    {"file", file_of_need(need)},
                    {"line", need.at.line},
                    {"column", need.at.column},
                    {"value", need.what},
                    {"hint", need.hint}});
  }
  return list;
}

std::string file_of(const config::Diagnostic& diagnostic) {
  return diagnostic.at.source ? diagnostic.at.source->name : "";
}

Json to_json(const config::Diagnostic& diagnostic) {
  Json json;
  json["severity"] = word_of(diagnostic.severity);
  json["file"] = file_of(diagnostic);
  json["line"] = diagnostic.at.line;
  json["column"] = diagnostic.at.column;
  json["message"] = diagnostic.message;
  json["hint"] = diagnostic.hint;
  return json;
}

/// In the order of the text output.
Json to_json(const config::Diagnostics& diagnostics) {
  std::vector<config::Diagnostic> sorted(diagnostics.all().begin(), diagnostics.all().end());
  std::ranges::stable_sort(sorted, {}, [](const config::Diagnostic& diagnostic) {
    return std::tuple(file_of(diagnostic), diagnostic.at.line, diagnostic.at.column);
  });
  Json json = Json::array();
  for (const auto& diagnostic : sorted) json.push_back(to_json(diagnostic));
  return json;
}

/// The needs of several configurations together.
struct Needs {
  std::vector<rules::Need> all;  ///< By kind, as for a single configuration.
  std::vector<config::DaemonSet> daemon_sets;
};

/// A mount that a known DaemonSet lacks is a warning, too.
Needs needs_of(daemon::CheckedConfigurations& checked) {
  Needs needs;
  for (const auto& [plan, daemon_sets] : checked.all) {
    for (rules::Need& need : rules::needs(*plan, daemon_sets)) {
      if (!daemon_sets.empty() && rules::is_mount(need)) {
        rules::warn_of_missing_mount(need, "the DaemonSet " + shown(daemon_sets[0].name),
                                     checked.diagnostics);
      }
      needs.all.push_back(std::move(need));
    }
    std::ranges::copy(daemon_sets, std::back_inserter(needs.daemon_sets));
  }
  std::ranges::stable_sort(needs.all, {}, &rules::Need::kind);
  return needs;
}

/// With --machine, each configuration is also tried on that machine.
Result<daemon::CheckedConfigurations> check(const ValidateOptions& options) {
  auto checked = check_configurations(options.config);
  if (!checked || options.host.machine.empty()) return checked;
  for (const daemon::CheckedConfiguration& one : checked->all) {
    const auto tried = check_on_machine(one.plan, options.host, checked->diagnostics);
    if (!tried) return std::unexpected(tried.error());
  }
  return checked;
}

int validate_as_json(const ValidateOptions& options) {
  auto checked = check(options);
  if (!checked) return report_failure(checked.error());
  const Needs needs = needs_of(*checked);
  Json json;
  json["valid"] = !checked->all.empty();
  json["readError"] = checked->unreadable;
  json["diagnostics"] = to_json(checked->diagnostics);
  json["needs"] = needs_json(needs.all);
  json["patch"] = manifest_patch(needs.all, needs.daemon_sets);
  if (print(json_text(json)) == Printed::failed) return kFailure;
  if (!checked->unreadable.empty()) return kFailure;
  const bool refused = options.strict && warning_count(checked->diagnostics) > 0;
  return checked->all.empty() || refused ? kConfigErrors : kOk;
}

}  // namespace

int validate(const ValidateOptions& options) {
  if (options.output == OutputFormat::json) return validate_as_json(options);
  auto checked = check(options);
  if (!checked) return report_failure(checked.error());
  const Needs needs = needs_of(*checked);
  if (!checked->unreadable.empty()) return report_failure(Error{checked->unreadable});
  report(checked->diagnostics, DiagnosticFormat::text);
  if (checked->all.empty()) return kConfigErrors;
  const size_t warnings = warning_count(checked->diagnostics);
  if (options.strict && warnings > 0) {
    print_error(count_text(warnings, "warning") + "\n");
    return kConfigErrors;
  }
  size_t resources = 0;
  for (const auto& one : checked->all) resources += one.plan->resources.size();
  std::string summary = "ok: " + count_text(resources, "resource");
  if (checked->all.size() > 1) {
    summary += " in " + count_text(checked->all.size(), "configuration");
  }
  if (warnings > 0) summary += ", " + count_text(warnings, "warning");
  return exit_code_of(print(summary + "\n" + needs_text(needs.all, needs.daemon_sets)));
}

}  // namespace patchbay::cli
