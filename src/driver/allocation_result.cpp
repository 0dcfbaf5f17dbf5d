#include "driver/allocation_result.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "base/text.h"
#include "dra/device_name.h"

namespace patchbay::driver {
namespace {

std::string text_at(const Json& object, const char* field) {
  return object.at(field).get<std::string>();
}

/// Fails if the ResourceClaim may not be prepared now.
Result<void> check_state(const Json& claim, std::string_view uid) {
  const Json& metadata = claim.at("metadata");
  if (text_at(metadata, "uid") != uid) {
    return fail(
        "replaced by another ResourceClaim of this name; delete the Pod and create it again");
  }
  if (metadata.contains("deletionTimestamp")) {
    return fail("being deleted; delete the Pod and create both again");
  }
  if (!claim.contains("status") || !claim.at("status").contains("allocation")) {
    return fail("not allocated; wait until the scheduler has allocated it");
  }
  if (claim.at("status").value("reservedFor", Json()).empty()) {
    return fail("reserved for no Pod; delete the Pod and create it again");
  }
  return {};
}

Result<void> check_parameters(const Json& devices, std::string_view driver) {
  for (const Json& config : devices.value("config", Json())) {
    if (!config.contains("opaque") || text_at(config.at("opaque"), "driver") != driver) continue;
    return fail(
        fmt::format("it has parameters for the driver {}, which accepts none; remove 'config'"
                    " from the ResourceClaim or its DeviceClass",
                    driver));
  }
  return {};
}

Result<std::vector<AllocationResult>> read_results(const Json& devices,
                                                   const AllocationQuery& query) {
  std::vector<AllocationResult> results;
  for (const Json& json : devices.value("results", Json())) {
    if (text_at(json, "driver") != query.driver) continue;
    const auto request = text_at(json, "request");
    const auto device = text_at(json, "device");
    const auto pool = text_at(json, "pool");
    if (pool != query.pool) {
      return fail(
          fmt::format("the device {} is in the pool '{}', but this node serves '{}'; "
                      "delete the Pod and create it again",
                      printable(device), printable(pool), query.pool));
    }
    results.push_back({.request = request.substr(0, request.find('/')),
                       .device = device,
                       .admin_access = json.value("adminAccess", false)});
  }
  if (!results.empty()) return results;
  // Without devices in the answer, the container would start without its device.
  return fail(
      fmt::format("no device of the driver {} is allocated to it; delete the Pod and create it "
                  "again",
                  query.driver));
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && text.size() <= dra::kMaxLabelLength && !text.starts_with('-') &&
         !text.ends_with('-') && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-';
         });
}

/// Any author of a ResourceClaim can write the annotation, and the API server does not check it.
std::string name_in_pod(const Json& metadata) {
  const Json annotations = metadata.value("annotations", Json::object());
  const auto name = annotations.value("resource.kubernetes.io/pod-claim-name", std::string());
  return is_dns_label(name) ? name : text_at(metadata, "name");
}

std::vector<ClaimPod> reserving_pods(const Json& consumers) {
  std::vector<ClaimPod> pods;
  for (const Json& consumer : consumers) {
    if (consumer.value("resource", std::string()) != "pods") continue;
    pods.push_back({.name = text_at(consumer, "name"), .uid = text_at(consumer, "uid")});
  }
  return pods;
}

Result<ClaimAllocation> read_if_valid(const Json& claim, const AllocationQuery& query) {
  auto valid = check_state(claim, query.uid);
  if (!valid) return std::unexpected(std::move(valid).error());
  const Json& devices = claim.at("status").at("allocation").at("devices");
  valid = check_parameters(devices, query.driver);
  if (!valid) return std::unexpected(std::move(valid).error());
  auto results = read_results(devices, query);
  if (!results) return std::unexpected(std::move(results).error());
  return ClaimAllocation{.devices = *std::move(results),
                         .claim = name_in_pod(claim.at("metadata")),
                         .pods = reserving_pods(claim.at("status").at("reservedFor"))};
}

}  // namespace

Result<ClaimAllocation> read_allocation(const Json& claim, const AllocationQuery& query) {
  try {
    const Json& metadata = claim.at("metadata");
    auto allocation = read_if_valid(claim, query);
    if (allocation) return allocation;
    return fail(claim_text(text_at(metadata, "namespace"), text_at(metadata, "name")),
                allocation.error());
  } catch (const Json::exception& malformed) {
    return fail(
        fmt::format("response of the API server: malformed ResourceClaim ({}); check which "
                    "program answers at that address",
                    printable(malformed.what())));
  }
}

}  // namespace patchbay::driver
