#include "observe/rule_json.h"

#include "rules/node_filter.h"

namespace patchbay::observe {
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

}  // namespace patchbay::observe
