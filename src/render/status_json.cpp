#include "render/status_json.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "render/resource_json.h"
#include "render/rule_json.h"
#include "status/unit_assignments.h"

namespace patchbay::render {
namespace {

using inventory::Refusal;

Json program_json(const status::NodeStatus& status) {
  const status::ProgramStatus& program = status.program;
  return {{"version", program.version},
          {"commit", program.commit},
          {"commitDate", program.built},
          {"pod", program.pod},
          {"kernel", program.kernel},
          {"pid", program.process},
          {"since", status.clock.text(program.since)}};
}

Json configuration_json(const status::NodeStatus& status) {
  const status::ConfigurationStatus& configuration = status.configuration;
  Json json;
  json["generation"] = configuration.number;
  json["since"] = status.clock.text(configuration.since);
  json["hash"] = configuration.digest;
  json["files"] = configuration.files;
  json["watched"] = configuration.followed;
  json["unresponsive"] = configuration.unresponsive;
  json["rejected"] = nullptr;
  if (!configuration.refused.empty()) {
    json["rejected"] = {{"since", status.clock.text(configuration.refused_since)},
                        {"reason", configuration.refused}};
  }
  return json;
}

Json kubelet_json(const status::NodeStatus& status) {
  Json json;
  json["directory"] = status.kubelet.directory;
  json["reachable"] = status.kubelet.unavailable_reason.empty();
  json["reason"] = status.kubelet.unavailable_reason;
  json["since"] =
      status.kubelet.unavailable_reason.empty() ? "" : status.clock.text(status.kubelet.since);
  return json;
}

Json event_counts_json(const EventCounts& events) {
  return {{"kernel", events.kernel}, {"udev", events.udev},           {"database", events.database},
          {"links", events.links},   {"overflows", events.overflows}, {"rescans", events.rescans},
          {"reads", events.reads}};
}

Json registration_json(const status::NodeStatus& status,
                       const status::RegistrationStatus& registration) {
  Json json;
  json["kind"] = word_of(registration.kind);
  json["state"] = word_of(registration.state);
  json["since"] = status.clock.text(registration.since);
  json["reason"] = registration.failure;
  json["endpoint"] = registration.endpoint;
  json["streams"] = registration.streams;
  return json;
}

Json counts_json(const inventory::ResolvedResource& resource) {
  const auto& units = resource.snapshot->units;
  const auto healthy = static_cast<size_t>(std::ranges::count_if(units, &inventory::Unit::healthy));
  size_t listed = 0;
  for (const inventory::Unit& unit : units) listed += unit.listed();
  const auto refusals = [&](Refusal::Kind kind) {
    return std::ranges::count(resource.refusals, kind, &Refusal::kind);
  };
  const size_t expected = resource.snapshot->resource->expected();
  return {{"units", units.size()},
          {"healthy", healthy},
          {"unhealthy", units.size() - healthy},
          {"listed", listed},
          {"refused", refusals(Refusal::Kind::refused)},
          {"incomplete", refusals(Refusal::Kind::incomplete)},
          {"claimed", refusals(Refusal::Kind::claimed)},
          {"expected", expected > 0 ? Json(expected) : Json()}};
}

Json calls_json(const status::CallCounters& calls) {
  return {{"succeeded", calls.answered.value()}, {"failed", calls.refused.value()}};
}

Json counters_json(const status::ResourceCounters& counters) {
  return {{"registrations", counters.registered.value()},
          {"failedRegistrations", counters.not_registered.value()},
          {"listsSent", counters.lists_sent.value()},
          {"allocate", calls_json(counters.allocate)},
          {"preferredAllocation", calls_json(counters.preferred)},
          {"preStart", calls_json(counters.pre_start)}};
}

Json probe_json(const status::NodeStatus& status, const rules::GroupPlan& group,
                const status::ProbeStatus& probe) {
  const auto& clock = status.clock;
  Json json;
  json["probe"] = group.health[probe.probe].to_text();
  json["result"] = probe.last ? word_of(probe.last->verdict.kind) : "none";
  json["reason"] = probe.last ? probe.last->verdict.reason : "";
  json["at"] = probe.last ? clock.text(probe.last->at) : "";
  json["durationSeconds"] =
      probe.last ? std::chrono::duration<double>(probe.last->lasted).count() : 0;
  json["runningSince"] = probe.runs_since ? clock.text(*probe.runs_since) : "";
  json["overdue"] = probe.late;
  return json;
}

void add_units(const status::NodeStatus& status, const status::ResourceStatus& resource,
               const UnitSelection& selection, Json& json) {
  const inventory::Snapshot& snapshot = *resource.resolved.snapshot;
  const SelectedUnits selected =
      selection.match.empty()
          ? select_units(snapshot, selection)
          : select_units(snapshot, selection,
                         status::assignments_of(status, resource.resolved.name()));
  json["matchingUnits"] = selected.matching;
  json["units"] = Json::array();
  const bool reports_nodes = snapshot.reports_nodes();
  for (const size_t index : selected.indexes) {
    const inventory::Unit& unit = snapshot.units[index];
    Json entry = unit_json(snapshot, unit, reports_nodes, status.clock);
    entry["probes"] = Json::array();
    if (index < resource.probes.units.size()) {
      const rules::GroupPlan& group = snapshot.resource->groups[unit.members->group];
      for (const status::ProbeStatus& probe : resource.probes.units[index]) {
        entry["probes"].push_back(probe_json(status, group, probe));
      }
    }
    json["units"].push_back(std::move(entry));
  }
}

Json lost_json(const status::NodeStatus& status, const status::ResourceStatus& resource) {
  Json json = Json::array();
  for (const status::LostUnit& unit : resource.lost) {
    json.push_back(
        {{"id", unit.id}, {"since", status.clock.text(unit.since)}, {"reason", unit.reason}});
  }
  return json;
}

Json containers_json(const status::NodeStatus& status,
                     const std::vector<status::Assignment>& assignments) {
  Json list = Json::array();
  for (const status::Assignment& assignment : assignments) {
    list.push_back({{"namespace", assignment.container->pod_namespace},
                    {"pod", assignment.container->pod},
                    {"container", assignment.container->name},
                    {"since", status.clock.text(assignment.since)}});
  }
  return list;
}

std::string time_text(const status::NodeStatus& status,
                      const std::optional<std::chrono::steady_clock::time_point>& time) {
  return time ? status.clock.text(*time) : "";
}

/// The source of the assignments, and the withdrawn units that containers still have. An
/// empty `resource` selects all resources.
Json pod_resources_json(const status::NodeStatus& status, const std::string& resource) {
  Json json;
  const status::PodResourcesStatus* const assignments = status.assignments.get();
  json["path"] = assignments != nullptr ? assignments->path : "";
  json["state"] = assignments != nullptr ? word_of(assignments->state) : "disabled";
  json["reason"] = assignments != nullptr ? assignments->reason : "";
  json["lastQueryTime"] = assignments != nullptr ? time_text(status, assignments->asked) : "";
  json["lastSuccessTime"] = assignments != nullptr ? time_text(status, assignments->answered) : "";
  json["withdrawnUnits"] = Json::array();
  for (const status::WithdrawnUnit& withdrawn : status::withdrawn_units(status)) {
    if (!resource.empty() && withdrawn.resource != resource) continue;
    json["withdrawnUnits"].push_back(
        {{"resource", withdrawn.resource},
         {"unit", withdrawn.unit},
         {"allocatedTo", containers_json(status, withdrawn.assignments)}});
  }
  return json;
}

/// Adds to each unit of the resource its containers, and to the counts the number of allocated
/// units.
void add_assignments(const status::NodeStatus& status, const std::string& resource, Json& entry) {
  const status::AssignmentsByUnit assigned = status::assignments_of(status, resource);
  entry["counts"]["allocated"] = nullptr;
  if (status::has_pod_resources(status))
    entry["counts"]["allocated"] = status::assigned_unit_count(status, resource);
  const auto units = entry.find("units");
  if (units == entry.end()) return;
  for (Json& unit : *units) {
    const auto its = assigned.find(unit["id"].get_ref<const std::string&>());
    const bool known = its != assigned.end();
    unit["allocatedTo"] = known ? containers_json(status, its->second.assignments) : Json::array();
    unit["lastAllocateTime"] = known ? time_text(status, its->second.allocated) : "";
  }
}

Json claim_json(const status::DraClaim& claim) {
  Json devices = Json::array();
  for (const status::DraClaim::Device& device : claim.devices) {
    devices.push_back({{"resource", device.resource}, {"unit", device.unit}});
  }
  return {{"namespace", claim.name_space},
          {"name", claim.name},
          {"uid", claim.uid},
          {"phase", claim.phase},
          {"devices", std::move(devices)},
          {"reason", claim.reason},
          {"warnings", claim.warnings}};
}

Json dra_drivers_json(const status::NodeStatus& status) {
  Json list = Json::array();
  for (const status::DraDriver& driver : status.dra) {
    Json claims = Json::array();
    for (const status::DraClaim& claim : driver.claims) claims.push_back(claim_json(claim));
    list.push_back({{"name", driver.name},
                    {"state", driver.standby    ? "standby"
                              : driver.draining ? "draining"
                                                : "active"},
                    {"registered", driver.registered},
                    {"reason", driver.reason},
                    {"apiServerReachable", driver.api_up},
                    {"claims", std::move(claims)}});
  }
  return list;
}

}  // namespace

Json status_json(const status::NodeStatus& status, const status::Counters& counters,
                 const StatusQuery& query) {
  Json json;
  json["apiVersion"] = "patchbay/v1";
  json["kind"] = "Status";
  json["node"] = status.program.node;
  json["at"] = status.clock.text(status.at);
  json["program"] = program_json(status);
  json["configuration"] = configuration_json(status);
  json["kubelet"] = kubelet_json(status);
  json["podResources"] = pod_resources_json(status, query.resource);
  json["draDrivers"] = dra_drivers_json(status);
  json["eventCounts"] = event_counts_json(status.events);
  json["eventSources"] = Json::array();
  for (const EventSource& source : status.event_sources) {
    json["eventSources"].push_back({{"source", source.name}, {"degradedReason", source.degraded}});
  }
  const auto all = counters.all();
  const status::ResourceCounters none;
  json["resources"] = Json::array();
  for (size_t i = 0; i < status.resources.size(); ++i) {
    const status::ResourceStatus& resource = status.resources[i];
    const std::string& name = resource.resolved.name();
    if (!query.resource.empty() && query.resource != name) continue;
    Json entry;
    entry["name"] = name;
    entry["description"] = resource.resolved.snapshot->resource->description;
    if (query.units.limit > 0) add_units(status, resource, query.units, entry);
    if (query.max_refused > 0) {
      add_not_offered(*status.plan, i, resource.resolved, query.max_refused, entry);
    }
    entry["counts"] = counts_json(resource.resolved);
    add_warnings(resource.resolved, entry);
    add_assignments(status, name, entry);
    entry["registration"] = registration_json(status, resource.registration);
    entry["lostUnits"] = lost_json(status, resource);
    const auto done = all.find(name);
    entry["counters"] = counters_json(done == all.end() ? none : *done->second);
    json["resources"].push_back(std::move(entry));
  }
  json["excluded"] = status.plan ? excluded_json(*status.plan) : Json::array();
  return json;
}

Json event_json(const status::Event& event) {
  return {{"number", event.number},      {"at", utc_text(event.at)},
          {"kind", word_of(event.kind)}, {"level", word_of(event.level)},
          {"message", event.message},    {"resource", event.resource},
          {"unit", event.unit},          {"fields", event.detail}};
}

Json events_json(std::span<const status::Event> events) {
  Json list = Json::array();
  for (const status::Event& event : events) list.push_back(event_json(event));
  return list;
}

}  // namespace patchbay::render
