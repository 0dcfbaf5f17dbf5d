#pragma once

#include <span>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/lint/spec_texts.h"
#include "rules/plan/plan_fwd.h"

/// Reports configurations that can be compiled, but do not do what their author meant. Most of
/// these reports are warnings.
///
/// To add a warning, with a reason as CONTRIBUTING.md asks for:
/// - For a single text, add a row to ineffective_texts.cpp. For several keys, see shared_path.cpp.
/// - The text says what happens. The hint says what to write, also to keep an intended rule
///   without the warning.
/// - Add a case in `warns.cases` and a similar, correct one in `quiet.cases` of test/rules/cases.
///   No example may warn.
/// - Add its line under Warnings in docs/configuration.md.
namespace patchbay::rules {

/// Finds texts that are valid but have no effect: they match nothing, nothing replaces them, or
/// they mean something in another language. Warns about them with a hint. A text without wildcards
/// that no value can equal is a mistake.
void check_ineffective_texts(const config::Spec& spec, config::Diagnostics& diagnostics);

/// Warns about a group that gives a container nothing, or whose devices all have the same id.
void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics);

/// Warns about a group that never gets a device. A group before it matches all of its devices on
/// the same nodes, and claims them exclusively.
void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics);

/// Warns about a group that gives containers write access to disks or partitions without a
/// condition on their content. Such a rule also finds disks that are in use. `spec` is the source
/// of the compiled group. A rule that lists its disks one by one gets no warning.
void warn_of_disks_in_use(const config::GroupSpec& spec, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

/// Warns if all units of a group, or all devices of one unit, have the same container path. A
/// container with two of them would be rejected. `match` is the source of the compiled group.
void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

/// Warns about a rule for USB devices that also finds their interfaces: these are devices of the
/// same subsystem and have no node. `spec` is the source of the compiled group.
void warn_of_usb_interfaces(const config::GroupSpec& spec, const GroupPlan& group,
                            config::Diagnostics& diagnostics);

/// Reports an environment variable that two groups of the resource join with different separators:
/// Allocate would reject a container with units of both.
void check_env_joins(const ResourcePlan& resource, config::Diagnostics& diagnostics);

/// Notes that two resources can give one container different content under one env name, one
/// annotation or one container path. The kubelet uses the entry of one resource, whichever comes
/// first, and drops the others (docs/dev/kubelet.md: Responses of several resources). Allocate
/// checks this within a resource.
void warn_of_clashes(const Plan& plan, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
