#include "render/rule_json.h"

#include "rules/plan/node_filter.h"

namespace patchbay::render {
namespace {

void add(const rules::Mismatch& mismatch, int depth, Json& list) {
  Json json;
  add_position(mismatch.at, json);
  json["condition"] = mismatch.condition;
  json["actual"] = mismatch.actual;
  json["depth"] = depth;
  list.push_back(std::move(json));
  for (const rules::Mismatch& nested : mismatch.nested) add(nested, depth + 1, list);
}

}  // namespace

void add_position(const config::Position& at, Json& json) {
  json["file"] = at.source ? at.source->name : "";
  json["line"] = at.line;
  json["column"] = at.column;
}

Json mismatches_json(std::span<const rules::Mismatch> mismatches) {
  Json list = Json::array();
  for (const rules::Mismatch& mismatch : mismatches) add(mismatch, 0, list);
  return list;
}

Json excluded_json(const rules::Plan& plan) {
  Json list = Json::array();
  for (const rules::Excluded& left : plan.excluded) {
    Json json;
    json["resource"] = left.resource;
    json["group"] = rules::configured_group_number(plan, left);
    add_position(left.at, json);
    json["conditions"] = mismatches_json(left.reasons);
    list.push_back(std::move(json));
  }
  return list;
}

Json unmatched_groups_json(const rules::Plan& plan,
                           const std::vector<status::UnmatchedGroup>& groups) {
  Json list = Json::array();
  for (const status::UnmatchedGroup& group : groups) {
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

}  // namespace patchbay::render
