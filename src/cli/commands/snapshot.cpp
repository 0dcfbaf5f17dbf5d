#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
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
#include "machine/machine_files.h"
#include "machine/machine_text.h"
#include "machine/recorder.h"
#include "machine/stand_ins.h"
#include "rules/compile.h"
#include "rules/plan/node_filter.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {
namespace {

constexpr size_t kMostEntities = 10'000;
/// Reading them takes a second if drivers are fast.
constexpr loop::Milliseconds kRulesTimeout{30'000};

std::string own_host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Adds the attributes and files of a probe, without running it.
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

/// The units that a configuration offers.
struct OfferedUnits {
  rules::PlanPtr plan;                            ///< With its probes.
  std::vector<inventory::SnapshotPtr> snapshots;  ///< By resource of the plan.
};

/// Adds the paths that Allocate checks, and the attributes and files of probes.
void add_for_units(const OfferedUnits& offer, const paths::HostRoot& root,
                   machine::Machine& machine) {
  std::set<std::string> paths;
  const auto exists = [&](const std::string& path, bool device) {
    paths.insert(path);
    return root.exists(path, device);
  };
  for (size_t i = 0; i < offer.snapshots.size(); ++i) {
    const inventory::Snapshot& offered = *offer.snapshots[i];
    for (const inventory::Unit& unit : offered.units) {
      const std::vector<std::string> ids{unit.shares > 0 ? unit.listed_id(0) : unit.id};
      // Only the paths count that it asks for.
      [[maybe_unused]] const auto allocation = inventory::allocate(offered, ids, exists);
      const auto& group = offer.plan->resources[i]->groups[unit.members->group];
      for (const rules::ProbePlan& probe : group.health) add_for_probe(probe, unit, root, machine);
    }
  }
  machine::add_host_paths(paths, root, machine);
}

Result<OfferedUnits> find_offer(const rules::PlanPtr& full_plan, const paths::HostRoot& root) {
  OfferedUnits offer{.plan = daemon::plan_for_this_node(full_plan, root), .snapshots = {}};
  const auto end = run_discovery(without_probes(offer.plan), {.watch = false, .root = root},
                                 [&](const inventory::Inventory& inventory) {
                                   for (const auto& resource : inventory.last().resources) {
                                     offer.snapshots.push_back(resource.snapshot);
                                   }
                                   return false;
                                 });
  if (!end) return std::unexpected(end.error());
  if (*end != DiscoveryEnd::enough) return fail("stopped before the devices were known");
  return offer;
}

/// Adds everything that the rules of a configuration read. Null: a path does not answer.
std::optional<machine::Machine> with_facts_of_rules(const rules::PlanPtr& plan,
                                                    const OfferedUnits& offer,
                                                    const machine::Machine& machine) {
  // A thread that hangs keeps its own copy.
  const auto added = std::make_shared<machine::Machine>(machine);
  const bool answered = loop::Executor().run(
      [plan, offer, added] {
        const paths::HostRoot root;
        machine::add_node_facts(host::read_node_facts(rules::node_query(*plan), root), root,
                                *added);
        add_for_units(offer, root, *added);
        const auto entities =
            host::survey(rules::examination_query(offer.plan), root, kMostEntities);
        machine::add_entities(entities, host::DeviceTree(root), *added);
      },
      kRulesTimeout);
  return answered ? std::optional(std::move(*added)) : std::nullopt;
}

/// The names of this machine or Pod, and of the node.
std::vector<std::string> host_names(const ConfigOptions& options) {
  std::vector<std::string> names{own_host_name(), options.node};
  if (const char* node = std::getenv("NODE_NAME")) names.emplace_back(node);
  for (size_t i = names.size(); i > 0; --i) {
    names.push_back(names[i - 1].substr(0, names[i - 1].find('.')));
  }
  return names;
}

/// Also says which units the rules no longer match. `plan` can be null. Returns whether that is
/// known.
bool write_stand_ins(machine::Machine& machine, std::vector<std::string>& notes,
                     const std::vector<std::string>& names, const rules::PlanPtr& plan,
                     const OfferedUnits& offer) {
  notes.emplace_back("serials, addresses and names that people gave are stand-ins");
  machine::replace_identifiers(machine, notes, names);
  if (!plan) return true;
  const auto recorded = find_offer(plan, paths::HostRoot(machine::files_of(machine)));
  if (!recorded) {
    notes.push_back("the rules cannot be tried on this file: " + recorded.error().message);
    print_error(fmt::format("patchbay: {}\n", printable(notes.back(), 500)));
    return false;
  }
  std::map<std::string, size_t> counts;
  for (const auto& found : recorded->snapshots) counts[found->resource->name] = found->units.size();
  for (const auto& live : offer.snapshots) {
    const size_t count = counts[live->resource->name];
    if (count >= live->units.size()) continue;
    notes.push_back(fmt::format(
        "{}: {} of {} in this file (its rules can compare stand-ins); try --keep-serials",
        live->resource->name, count, count_text(live->units.size(), "unit")));
    print_error(fmt::format("patchbay: {}\n", notes.back()));
  }
  return true;
}

}  // namespace

int snapshot(const SnapshotOptions& options) {
  rules::PlanPtr plan;
  OfferedUnits offer;
  if (!options.config.paths.empty()) {
    const ConfigInput input = read_config(options.config);
    if (!input.plan) return input.exit_code;
    plan = input.plan;
    auto found = find_offer(plan, {});
    if (!found) return report_failure(found.error());
    offer = *std::move(found);
  }
  if (is_terminal(STDERR_FILENO)) print_error("reading the devices…\n");
  machine::Recording recording = machine::record_devices(host::DeviceTree());
  std::vector<std::string> notes = std::move(recording.left_out);
  if (plan) {
    auto machine = with_facts_of_rules(plan, offer, recording.machine);
    if (!machine) notes.emplace_back("a path or driver that the rules need does not answer");
    if (machine) recording.machine = *std::move(machine);
  }
  bool complete = notes.empty();
  for (const std::string& note : notes) {
    print_error(fmt::format("patchbay: {}: it is left out\n", printable(note, 500)));
  }
  if (!options.keep_serials &&
      !write_stand_ins(recording.machine, notes, host_names(options.config), plan, offer)) {
    complete = false;
  }
  const std::string text = machine::write_machine(recording.machine, notes);
  if (const auto read = machine::read_machine("this machine", text); !read) {
    return report_failure(read.error());
  }
  if (print(text) == Printed::failed) return kFailure;
  return complete ? kOk : kUnresponsive;
}

}  // namespace patchbay::cli
