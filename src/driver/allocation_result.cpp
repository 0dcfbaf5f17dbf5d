#include "driver/allocation_result.h"

#include <exception>

#include <fmt/format.h>

#include "base/text.h"
#include "driver/claim_record.h"

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

Result<std::vector<AllocationResult>> read_if_valid(const Json& claim,
                                                    const AllocationQuery& query) {
  auto valid = check_state(claim, query.uid);
  if (!valid) return std::unexpected(std::move(valid).error());
  const Json& devices = claim.at("status").at("allocation").at("devices");
  valid = check_parameters(devices, query.driver);
  if (!valid) return std::unexpected(std::move(valid).error());
  return read_results(devices, query);
}

}  // namespace

Result<std::vector<AllocationResult>> read_allocation(const Json& claim,
                                                      const AllocationQuery& query) {
  try {
    const Json& metadata = claim.at("metadata");
    auto results = read_if_valid(claim, query);
    if (results) return results;
    return fail(claim_text(text_at(metadata, "namespace"), text_at(metadata, "name")),
                results.error());
  } catch (const Json::exception& malformed) {
    return fail(
        fmt::format("response of the API server: malformed ResourceClaim ({}); check which "
                    "program answers at that address",
                    printable(malformed.what())));
  }
}

}  // namespace patchbay::driver
