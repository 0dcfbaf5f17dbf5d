#include "status/readiness.h"

#include <fmt/format.h>

#include "base/duration.h"

namespace patchbay::status {
namespace {

using State = RegistrationStatus::State;

ReadinessCheck check_of(const ResourceStatus& resource, const NodeStatus& status) {
  const RegistrationStatus& registration = resource.registration;
  ReadinessCheck check{.name = resource.resolved.name(), .ok = false, .text = {}};
  const auto away = status.at - status.kubelet.since;
  const bool dra = registration.kind == RegistrationStatus::Kind::dra;
  switch (registration.state) {
    case State::registered:
    case State::held_back:
    case State::not_published:
      return {
          check.name, true,
          dra ? "registered: the kubelet has the driver" : "registered: the kubelet has the list"};
    case State::standby:
      return {check.name, true, "standby: another instance serves it"};
    case State::withdrawing:
      return {check.name, true, "no longer offered"};
    case State::pending:
      return {check.name, false, "pending: paths or devices of its rules are unresponsive"};
    case State::no_kubelet:
    case State::registering:
    case State::backing_off:
      break;
  }
  if (!status.kubelet.unavailable_reason.empty()) {
    check.ok = away < kKubeletGracePeriod;
    check.text = fmt::format("kubelet unreachable since {}: {}", age_text(away),
                             status.kubelet.unavailable_reason);
    return check;
  }
  check.text = registration.failure.empty() ? "registering with the kubelet"
                                            : "registration failed: " + registration.failure;
  return check;
}

}  // namespace

std::vector<ReadinessCheck> readiness(const NodeStatus& status) {
  std::vector<ReadinessCheck> checks;
  checks.push_back({.name = "configuration", .ok = true, .text = "loaded"});
  checks.push_back({.name = "scan",
                    .ok = status.plan != nullptr,
                    .text = status.plan ? "the node was scanned"
                                        : "the first scan of the node is not complete"});
  for (const ResourceStatus& resource : status.resources) {
    checks.push_back(check_of(resource, status));
  }
  return checks;
}

}  // namespace patchbay::status
