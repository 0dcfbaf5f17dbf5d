#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/daemon_set.h"
#include "rules/needs/need.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Returns the needs of a configuration that none of the DaemonSets meets. Without a DaemonSet,
/// uses the one in deploy/patchbay.yaml. The result is sorted by kind, then in the order of the
/// configuration. The needs of programs that the configuration runs are not known. Pure.
[[nodiscard]] std::vector<Need> needs(const Plan& plan,
                                      std::span<const config::DaemonSet> daemons = {});

/// Whether the need is a mount.
[[nodiscard]] inline bool is_mount(const Need& need) {
  return need.kind == Need::Kind::mount || need.kind == Need::Kind::writable;
}

/// Reports that a mount is missing. `pod` is "this Pod" or the name of a DaemonSet.
void warn_of_missing_mount(const Need& need, std::string_view pod,
                           config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
