#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "inventory/inventory_fixture.h"
#include "status/node_status.h"

namespace patchbay::status {

/// The time of the status: a day after the epoch, 1970-01-01T00:00:00Z.
inline constexpr std::chrono::steady_clock::time_point kNow{std::chrono::hours(24)};

/// The status of a daemon that has run for an hour, with a kubelet.
inline NodeStatus node_status() {
  NodeStatus status;
  status.at = kNow;
  status.program = {.version = "1.2.3",
                    .commit = "0123456789ab",
                    .built = "1970-01-01",
                    .node = "bench-1",
                    .pod = "lab/patchbay-x7k2p",
                    .kernel = "6.1.0",
                    .process = 42,
                    .since = kNow - std::chrono::hours(1)};
  status.configuration = {.number = 2,
                          .since = kNow - std::chrono::minutes(5),
                          .files = {"/etc/patchbay", "/etc/patchbay/lab.yaml"},
                          .digest = "00000000000000ff"};
  status.kubelet = {
      .directory = "/var/lib/kubelet/device-plugins", .unavailable_reason = "", .since = {}};
  return status;
}

/// The same status with the resources of `inventory`.
inline NodeStatus node_status(inventory::Inventory& inventory,
                              const RegistrationStatus& registration) {
  NodeStatus status = node_status();
  status.plan = inventory.plan();
  for (const auto& resource : inventory.resolve(kNow - std::chrono::minutes(1)).resources) {
    status.resources.push_back({.resolved = resource, .registration = registration});
  }
  return status;
}

inline RegistrationStatus registered() {
  return {.state = RegistrationStatus::State::registered,
          .since = kNow - std::chrono::seconds(59),
          .failure = "",
          .endpoint = "patchbay-a.sock",
          .streams = 1};
}

}  // namespace patchbay::status
