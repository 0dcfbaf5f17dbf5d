#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/unit_changes.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "daemon/configuration.h"
#include "host/facts/device_tree.h"
#include "host/facts/node_facts.h"
#include "host/survey.h"
#include "inventory/allocate.h"
#include "inventory/inventory.h"
#include "loop/executor.h"
#include "machine/machine_writer.h"
#include "machine/recorder.h"
#include "machine/stand_ins.h"
#include "rules/compile.h"
#include "rules/plan/node_filter.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {
namespace {

constexpr size_t kMostEntities = 10'000;
/// Reading them takes a second if drivers are fast.
constexpr loop::Milliseconds kSurveyTimeout{30'000};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Adds what a probe reads, without running it.
void add_for_probe(const rules::ProbePlan& probe, const inventory::Unit& unit,
                   const paths::HostRoot& root, machine::Machine& machine) {
  for (const rules::ProbePlan::Test& test : probe.tests) {
    if (probe.kind == Check::Kind::files && !test.name.contains("$(")) {
      machine::add_file_content(test.name, root, machine);
    }
    if (probe.kind != Check::Kind::attributes) continue;
    for (const inventory::UnitDevice& device : unit.members->devices) {
      machine::add_attributes(*device.facts, test.name, host::DeviceTree(root), machine);
    }
  }
}

/// Adds what probes and Allocate read for each unit. `plan` has the probes.
void add_for_units(const inventory::Inventory& inventory, const rules::Plan& plan,
                   const paths::HostRoot& root, machine::Machine& machine) {
  const auto exists = [&](const std::string& path) {
    machine::add_host_path(path, root, machine);
    return root.exists(path);
  };
  for (size_t i = 0; i < plan.resources.size(); ++i) {
    const inventory::Snapshot& offered = *inventory.last().resources[i].snapshot;
    for (const inventory::Unit& unit : offered.units) {
      const std::vector<std::string> ids{unit.shares > 0 ? unit.listed_id(0) : unit.id};
      static_cast<void>(inventory::allocate(offered, ids, exists));
      for (const rules::ProbePlan& probe : plan.resources[i]->groups[unit.members->group].health) {
        add_for_probe(probe, unit, root, machine);
      }
    }
  }
}

/// Adds what the rules of a configuration read.
Result<void> add_for_rules(const rules::PlanPtr& full_plan, machine::Machine& machine) {
  const auto options = host_options({}, *full_plan, false);
  if (!options) return std::unexpected(options.error());
  const paths::HostRoot& root = options->root;
  machine::add_node_facts(host::read_node_facts(rules::node_query(*full_plan), root), root,
                          machine);
  const rules::PlanPtr plan = daemon::plan_for_this_node(full_plan, root);
  const auto end =
      run_discovery(without_probes(plan), *options, [&](const inventory::Inventory& inventory) {
        add_for_units(inventory, *plan, root, machine);
        return false;
      });
  if (!end) return std::unexpected(end.error());
  const auto entities = std::make_shared<std::vector<DeviceFactsPtr>>();
  const bool answered =
      loop::Executor().run([entities, query = rules::examination_query(plan),
                            root] { *entities = host::survey(query, root, kMostEntities); },
                           kSurveyTimeout);
  if (!answered) return fail("a path or driver that the rules read does not answer");
  machine::add_entities(*entities, host::DeviceTree(root), machine);
  return {};
}

}  // namespace

int snapshot(const SnapshotOptions& options) {
  rules::PlanPtr plan;
  if (!options.config.paths.empty()) {
    const ConfigInput input = read_config(options.config);
    if (!input.plan) return input.exit_code;
    plan = input.plan;
  }
  if (is_terminal(STDERR_FILENO)) print_error("reading the devices…\n");
  machine::Recording recording = machine::record_devices(host::DeviceTree());
  std::vector<std::string> notes;
  for (const std::string& path : recording.unanswered) {
    notes.push_back(path + " does not answer");
  }
  if (plan) {
    const auto added = add_for_rules(plan, recording.machine);
    if (!added) return report_failure(added.error());
  }
  if (!options.keep_serials) {
    machine::replace_identifiers(recording.machine, host_name());
    notes.emplace_back("serials and addresses are replaced by stand-ins");
  }
  for (const std::string& path : recording.unanswered) {
    print_error(fmt::format("patchbay: {} does not answer: it is left out\n", path));
  }
  const auto printed = print(machine::write_machine(recording.machine, notes));
  if (printed == Printed::failed) return kFailure;
  return recording.unanswered.empty() ? kOk : kUnresponsive;
}

}  // namespace patchbay::cli
