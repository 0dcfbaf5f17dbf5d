#include "observe/unmatched_group.h"

#include <utility>

#include "observe/rule_json.h"
#include "rules/node_filter.h"

namespace patchbay::observe {

Json unmatched_groups_json(const rules::Plan& plan, const std::vector<UnmatchedGroup>& groups) {
  Json list = Json::array();
  for (const UnmatchedGroup& group : groups) {
    const rules::Rule& rule = group.miss.rule;
    Json json;
    json["resource"] = plan.resources[rule.resource]->name;
    json["group"] = rules::configured_group_number(plan, rule.resource, rule.group);
    add_position(plan.group(rule).match.at(), json);
    json["candidates"] = group.miss.considered;
    json["reason"] = group.no_candidate_reason;
    json["nearestDevice"] = group.miss.nearest ? group.miss.nearest->key : "";
    json["conditions"] = mismatches_json(group.miss.mismatches);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace patchbay::observe
