#include "driver/claim_edits.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "dra/device.h"
#include "dra/slices.h"
#include "driver/preparation.h"
#include "inventory/assemble.h"
#include "inventory/unit_checks.h"

namespace patchbay::driver {
namespace {

using inventory::Edit;

/// Renders one ResourceClaim. One instance renders once.
class ClaimRenderer {
 public:
  ClaimRenderer(ClaimRecord record, std::span<const ClaimUnit> units,
                const inventory::PathExists& path_exists)
      : record_(std::move(record)), units_(units), path_exists_(path_exists) {}

  Result<ClaimRecord> run();

 private:
  /// The number of the device's request, in the order of the allocation.
  [[nodiscard]] size_t request_of(size_t device) const;
  Result<void> render_device(size_t device);
  /// Renders the devices of one resource.
  Result<void> render_edits(std::vector<size_t> devices);
  void add(Edit edit, RecordedDevice& device);
  Result<void> join_envs();

  ClaimRecord record_;
  std::span<const ClaimUnit> units_;
  const inventory::PathExists& path_exists_;
  std::map<std::string, std::vector<Edit>> edits_;  ///< By request.
};

size_t ClaimRenderer::request_of(size_t device) const {
  const auto& devices = record_.devices;
  const auto first = std::ranges::find(devices, devices[device].request, &RecordedDevice::request);
  return static_cast<size_t>(first - devices.begin());
}

Result<void> ClaimRenderer::render_device(size_t index) {
  RecordedDevice& device = record_.devices[index];
  const auto& [snapshot, unit] = units_[index];
  const rules::ResourcePlan& resource = *snapshot->resource;
  const bool is_new = record_.phase != ClaimPhase::prepared;
  if (is_new) record_.release_timeout = resource.release_timeout;
  device.nodes.clear();
  device.mounts.clear();
  device.cdi_names.clear();
  device.steps.clear();
  device.published = published_device(resource, *unit);
  const auto keys_before = std::exchange(device.keys, {});
  if (device.admin_access) return {};
  device.keys = exclusive_keys(resource, *unit->members);
  auto steps = inventory::steps_of(resource, *unit, &rules::GroupPlan::pre_start);
  auto release = inventory::steps_of(resource, *unit, &rules::GroupPlan::release);
  for (const auto* rendered : {&steps, &release}) {
    if (!*rendered) return fail("device " + device.device, rendered->error());
  }
  device.steps = *std::move(steps);
  // After a replug, the steps need the current paths.
  if (is_new || device.keys != keys_before) device.release = *std::move(release);
  return {};
}

Result<void> ClaimRenderer::render_edits(std::vector<size_t> devices) {
  std::ranges::stable_sort(devices, [&](size_t a, size_t b) {
    const size_t of_a = request_of(a);
    const size_t of_b = request_of(b);
    return of_a != of_b ? of_a < of_b : natural_less(units_[a].unit->id, units_[b].unit->id);
  });
  std::vector<inventory::Grant> grants;
  for (const size_t device : devices) {
    grants.push_back({.unit = units_[device].unit,
                      .shares = {},
                      .request = request_of(device),
                      .claim = record_.claim,
                      .request_name = record_.devices[device].request});
  }
  const rules::ResourcePlan& resource = *units_[devices.front()].snapshot->resource;
  auto edits = inventory::assemble(resource, grants, path_exists_, inventory::Injection::all);
  if (!edits) return fail(resource.name, edits.error());
  for (Edit& edit : *edits) {
    const auto device = std::ranges::find_if(devices, [&](size_t index) {
      return units_[index].unit == edit.unit && request_of(index) == edit.request;
    });
    add(std::move(edit), record_.devices[*device]);
  }
  return {};
}

void ClaimRenderer::add(Edit edit, RecordedDevice& device) {
  if (const auto* node = std::get_if<inventory::AllocatedDevice>(&edit.what)) {
    device.nodes.push_back(*node);
    device.nodes.back().optional = false;
  } else if (const auto* mount = std::get_if<inventory::AllocatedMount>(&edit.what)) {
    device.mounts.push_back(*mount);
    device.mounts.back().optional = false;
  } else if (const auto* cdi = std::get_if<inventory::CdiName>(&edit.what)) {
    device.cdi_names.push_back(cdi->name);
  }
  edits_[device.request].push_back(std::move(edit));
}

Result<void> ClaimRenderer::join_envs() {
  record_.envs.clear();
  for (const auto& [request, edits] : edits_) {
    auto joined = inventory::join_edits(edits);
    if (!joined) return fail("request " + request, joined.error());
    if (!joined->envs.empty()) record_.envs[request] = std::move(joined->envs);
  }
  return {};
}

Result<ClaimRecord> ClaimRenderer::run() {
  std::map<std::string, std::vector<size_t>> by_resource;
  Result<void> done;
  for (size_t i = 0; done && i < record_.devices.size(); ++i) {
    by_resource[record_.devices[i].resource].push_back(i);
    done = render_device(i);
  }
  for (auto& [resource, devices] : by_resource) {
    if (done) done = render_edits(std::move(devices));
  }
  if (done) done = join_envs();
  if (!done) return std::unexpected(std::move(done).error());
  return std::move(record_);
}

}  // namespace

Result<std::vector<ClaimUnit>> find_claim_units(
    const ClaimRecord& record, const std::vector<inventory::SnapshotPtr>& snapshots) {
  std::vector<ClaimUnit> units;
  for (const RecordedDevice& device : record.devices) {
    const auto snapshot = std::ranges::find_if(
        snapshots, [&](const auto& of) { return of->resource->name == device.resource; });
    if (snapshot == snapshots.end()) {
      return fail(
          fmt::format("device {}: the configuration has no resource '{}' now; add it "
                      "again, or delete the Pod",
                      device.device, device.resource));
    }
    const inventory::Unit* const unit = (*snapshot)->find(device.unit);
    if (unit == nullptr) {
      return fail(
          fmt::format("device {}: gone (the resource '{}' has no unit '{}'); plug it in, or "
                      "delete the Pod",
                      device.device, device.resource, device.unit));
    }
    if (!unit->healthy && !device.admin_access) {
      return fail(fmt::format("device {}: unhealthy ({}); repair it, or delete the Pod",
                              device.device, unit->reason));
    }
    units.push_back({*snapshot, unit});
  }
  return units;
}

Result<void> render_claim(ClaimRecord& record, std::span<const ClaimUnit> units,
                          const inventory::PathExists& path_exists) {
  assert(units.size() == record.devices.size());
  auto rendered = ClaimRenderer(record, units, path_exists).run();
  if (!rendered) return std::unexpected(std::move(rendered).error());
  record = *std::move(rendered);
  return {};
}

Json published_device(const rules::ResourcePlan& resource, const inventory::Unit& unit) {
  const dra::Device device = dra::make_device(resource, unit).device;
  return dra::devices_json({&device, 1}).front();
}

}  // namespace patchbay::driver
