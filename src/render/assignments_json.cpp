#include "render/assignments_json.h"

#include <chrono>
#include <optional>
#include <vector>

#include "status/unit_assignments.h"

namespace patchbay::render {
namespace {

Json list_of(const status::NodeStatus& status, const std::vector<status::Assignment>& assignments) {
  Json list = Json::array();
  for (const status::Assignment& assignment : assignments) {
    list.push_back({{"namespace", assignment.container->pod_namespace},
                    {"pod", assignment.container->pod},
                    {"container", assignment.container->name},
                    {"since", status.clock.text(assignment.since)}});
  }
  return list;
}

std::string text_of(const status::NodeStatus& status,
                    const std::optional<std::chrono::steady_clock::time_point>& time) {
  return time ? status.clock.text(*time) : "";
}

}  // namespace

Json pod_resources_json(const status::NodeStatus& status, const std::string& resource) {
  Json json;
  const status::PodResourcesStatus* const assignments = status.assignments.get();
  json["path"] = assignments != nullptr ? assignments->path : "";
  json["state"] = assignments != nullptr ? word_of(assignments->state) : "disabled";
  json["reason"] = assignments != nullptr ? assignments->reason : "";
  json["lastQueryTime"] = assignments != nullptr ? text_of(status, assignments->asked) : "";
  json["lastSuccessTime"] = assignments != nullptr ? text_of(status, assignments->answered) : "";
  json["withdrawnUnits"] = Json::array();
  for (const status::WithdrawnUnit& withdrawn : status::withdrawn_units(status)) {
    if (!resource.empty() && withdrawn.resource != resource) continue;
    json["withdrawnUnits"].push_back({{"resource", withdrawn.resource},
                                      {"unit", withdrawn.unit},
                                      {"allocatedTo", list_of(status, withdrawn.assignments)}});
  }
  return json;
}

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
    unit["allocatedTo"] = known ? list_of(status, its->second.assignments) : Json::array();
    unit["lastAllocateTime"] = known ? text_of(status, its->second.allocated) : "";
  }
}

}  // namespace patchbay::render
