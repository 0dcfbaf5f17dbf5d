#include "observe/holders_json.h"

#include <chrono>
#include <optional>
#include <vector>

#include "observe/unit_holders.h"

namespace patchbay::observe {
namespace {

Json list_of(const NodeStatus& status, const std::vector<Holder>& holders) {
  Json list = Json::array();
  for (const Holder& holder : holders) {
    list.push_back({{"namespace", holder.container->pod_namespace},
                    {"pod", holder.container->pod},
                    {"container", holder.container->name},
                    {"since", status.clock.text(holder.since)}});
  }
  return list;
}

std::string text_of(const NodeStatus& status,
                    const std::optional<std::chrono::steady_clock::time_point>& time) {
  return time ? status.clock.text(*time) : "";
}

}  // namespace

Json pod_resources_json(const NodeStatus& status, const std::string& resource) {
  Json json;
  const HoldersStatus* const holders = status.holders.get();
  json["path"] = holders != nullptr ? holders->path : "";
  json["state"] = holders != nullptr ? word_of(holders->state) : "off";
  json["reason"] = holders != nullptr ? holders->reason : "";
  json["askedAt"] = holders != nullptr ? text_of(status, holders->asked) : "";
  json["answeredAt"] = holders != nullptr ? text_of(status, holders->answered) : "";
  json["notOffered"] = Json::array();
  for (const GoneUnit& gone : gone_units(status)) {
    if (!resource.empty() && gone.resource != resource) continue;
    json["notOffered"].push_back({{"resource", gone.resource},
                                  {"unit", gone.unit},
                                  {"holders", list_of(status, gone.holders)}});
  }
  return json;
}

void add_holders(const NodeStatus& status, const std::string& resource, Json& entry) {
  const HoldersByUnit held = holders_of(status, resource);
  entry["counts"]["held"] = nullptr;
  if (knows_holders(status)) entry["counts"]["held"] = held_units(status, resource);
  const auto units = entry.find("units");
  if (units == entry.end()) return;
  for (Json& unit : *units) {
    const auto its = held.find(unit["id"].get_ref<const std::string&>());
    const bool known = its != held.end();
    unit["holders"] = known ? list_of(status, its->second.holders) : Json::array();
    unit["allocatedAt"] = known ? text_of(status, its->second.allocated) : "";
  }
}

}  // namespace patchbay::observe
