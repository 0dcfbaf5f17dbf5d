#pragma once

#include <span>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/lint/spec_texts.h"
#include "rules/plan/plan_fwd.h"

/// Reports configurations that can be compiled, but probably do not do what their author meant.
/// Most of these reports are warnings.
///
/// To add a warning, for one of the reasons in CONTRIBUTING.md:
/// - For a single text, add a row to ineffective_texts.cpp. For several keys, see shared_path.cpp.
/// - Say in the message what happens, and in the hint what to write. The hint also says how to
///   avoid the warning if the rule is intended.
/// - Add a case in `warns.cases` and a similar, correct one in `quiet.cases` of test/rules/cases.
///   No example may warn.
/// - Add its line under Warnings in docs/configuration.md.
namespace patchbay::rules {

/// Warns about valid texts without effect, with a hint. Such a text matches nothing, looks like a
/// variable but is not replaced, or has a meaning only in another language. Reports an error for a
/// text without wildcards that no value can equal.
void check_ineffective_texts(const config::Spec& spec, config::Diagnostics& diagnostics);

/// Warns about a group that gives a container nothing, or whose devices all have the same id.
void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics);

/// Warns about a group that never gets a device, because an earlier group matches all its devices
/// on the same nodes, and claims them exclusively.
void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics);

/// Warns about a group that gives containers write access to disks or partitions, if the match has
/// no condition on their content. Such a match also finds disks that are in use. `spec` is the
/// source of the compiled group. A match that lists its disks one by one gets no warning.
void warn_of_disks_in_use(const config::GroupSpec& spec, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

/// Warns if all units of a group, or all devices of one unit, have the same container path.
/// Allocate would reject a container with two such units or devices. `match` is the source of
/// `group.match`.
void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

/// Warns about a rule for USB devices that also finds their interfaces, which are devices of the
/// same subsystem without a device node. `spec` is the source of the compiled group.
void warn_of_usb_interfaces(const config::GroupSpec& spec, const GroupPlan& group,
                            config::Diagnostics& diagnostics);

/// Reports an environment variable of two groups whose `join` separators differ. Allocate would
/// reject a container with units of both groups.
void check_env_joins(const ResourcePlan& resource, config::Diagnostics& diagnostics);

/// Reports, as a note, two resources that can give one container different values for the same env
/// name, annotation or container path. The kubelet uses the value of any one resource and drops the
/// others (docs/dev/kubelet.md: Responses of several resources). If the values are from one
/// resource, Allocate rejects them.
void warn_of_clashes(const Plan& plan, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
