#include "rules/plan.h"

#include <algorithm>
#include <tuple>

#include "rules/default_id.h"

namespace patchbay::rules {

WantedFacts GroupPlan::wanted() const {
  WantedFacts wanted;
  match.want(wanted);
  if (id) {
    id->want(wanted);
  } else {
    want_default_id(match.kind(), wanted);
  }
  for (const DeviceEntry& entry : devices) entry.want(wanted);
  for (const MountEntry& entry : mounts) entry.want(wanted);
  for (const EnvEntry& entry : envs) entry.want(wanted);
  for (const AnnotationEntry& entry : annotations) entry.want(wanted);
  return wanted;
}

Result<std::string> GroupPlan::render_id(const RenderScope& scope) const {
  return id ? id->render(scope) : default_id(*scope.device);
}

bool operator==(const GroupPlan& a, const GroupPlan& b) {
  return a.match == b.match && a.id == b.id && a.devices == b.devices && a.mounts == b.mounts &&
         a.envs == b.envs && a.annotations == b.annotations;
}

bool operator==(const ResourcePlan& a, const ResourcePlan& b) {
  return a.name == b.name && a.description == b.description && a.settle == b.settle &&
         a.linger == b.linger && a.groups == b.groups;
}

}  // namespace patchbay::rules
