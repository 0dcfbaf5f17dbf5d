#include "cli/resolution_view.h"

#include <algorithm>

#include "base/text.h"
#include "cli/json_text.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string shown(const std::string& text) { return printable(text, 1000); }

/// Where a person finds the device: its node, else its place in sysfs or the file system.
std::string place_of(const DeviceFacts& device) {
  return shown(device.devnode.empty() ? device.key : device.devnode);
}

std::string places_of(const inventory::Unit& unit) {
  std::string places;
  for (const auto& device : unit.members->devices) {
    if (!places.empty()) places += ' ';
    places += place_of(*device.facts);
  }
  return places;
}

std::string why_empty(const inventory::Resolution& resolution, size_t resource) {
  const bool refused = std::ranges::any_of(
      resolution.refusals, [&](const auto& refusal) { return refusal.resource == resource; });
  return refused ? "all refused" : "no device matches";
}

Rows unit_rows(const inventory::Resolution& resolution) {
  Rows rows{{"RESOURCE", "UNIT", "STATE", "DEVICE", "REASON"}};
  for (const auto& snapshot : resolution.snapshots) {
    const std::string& name = snapshot->resource_plan().name;
    for (const inventory::Unit& unit : snapshot->units) {
      rows.push_back({name, unit.id, unit.healthy ? "healthy" : "unhealthy", places_of(unit),
                      shown(unit.reason)});
    }
    if (snapshot->units.empty())
      rows.push_back({name, "-", why_empty(resolution, snapshot->resource), "", ""});
  }
  return rows;
}

Rows refusal_rows(const inventory::Resolution& resolution) {
  Rows rows{{"REFUSED FOR", "UNIT", "DEVICE", "REASON"}};
  for (const inventory::Refusal& refusal : resolution.refusals) {
    rows.push_back({resolution.snapshots[refusal.resource]->resource_plan().name,
                    refusal.id.empty() ? "-" : shown(refusal.id), shown(refusal.device),
                    shown(refusal.reason)});
  }
  return rows;
}

Json unit_json(const inventory::Unit& unit) {
  Json json;
  json["id"] = unit.id;
  json["healthy"] = unit.healthy;
  json["reason"] = unit.reason;
  json["devices"] = Json::array();
  for (const auto& device : unit.members->devices) {
    const DeviceFacts& facts = *device.facts;
    json["devices"].push_back(
        {{"key", facts.key}, {"subsystem", facts.subsystem}, {"devnode", facts.devnode}});
  }
  return json;
}

Json resource_json(const inventory::Resolution& resolution, size_t index) {
  const inventory::Snapshot& snapshot = *resolution.snapshots[index];
  Json json;
  json["name"] = snapshot.resource_plan().name;
  json["description"] = snapshot.resource_plan().description;
  json["units"] = Json::array();
  for (const inventory::Unit& unit : snapshot.units) json["units"].push_back(unit_json(unit));
  json["refused"] = Json::array();
  for (const inventory::Refusal& refusal : resolution.refusals) {
    if (refusal.resource != index) continue;
    json["refused"].push_back(
        {{"id", refusal.id}, {"device", refusal.device}, {"reason", refusal.reason}});
  }
  return json;
}

}  // namespace

std::string resolution_table(const inventory::Resolution& resolution) {
  std::string text = format_table(unit_rows(resolution));
  if (!resolution.refusals.empty()) text += "\n" + format_table(refusal_rows(resolution));
  return text;
}

std::string resolution_json(const inventory::Resolution& resolution, int indent) {
  Json json;
  json["resources"] = Json::array();
  for (size_t i = 0; i < resolution.snapshots.size(); ++i) {
    json["resources"].push_back(resource_json(resolution, i));
  }
  return json_text(json, indent);
}

}  // namespace patchbay::cli
