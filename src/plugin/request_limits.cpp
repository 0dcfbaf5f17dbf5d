#include "plugin/request_limits.h"

#include <span>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::plugin {
namespace {

/// Maximum number of logged ids of a call.
constexpr size_t kMaxLoggedIds = 32;

template <typename Ids>
std::string validate_ids(const Ids& ids) {
  if (static_cast<size_t>(ids.size()) > inventory::kMaxUnits) {
    return fmt::format("the request names {} units; the limit is {}", ids.size(),
                       inventory::kMaxUnits);
  }
  for (const std::string& id : ids) {
    if (id.size() <= kMaxIdBytes) continue;
    return fmt::format("the request names a unit with {} characters ('{}'); the limit is {}",
                       id.size(), printable(id, kMaxShown), kMaxIdBytes);
  }
  return "";
}

template <typename Request>
std::string validate_containers(const Request& request) {
  if (request.container_requests_size() <= kMaxContainers) return "";
  return fmt::format("the request is for {} containers; the limit is {}",
                     request.container_requests_size(), kMaxContainers);
}

}  // namespace

std::string validate(const v1beta1::Empty& /*request*/) { return ""; }

std::string validate(const v1beta1::AllocateRequest& request) {
  std::string found = validate_containers(request);
  for (const auto& container : request.container_requests()) {
    if (found.empty()) found = validate_ids(container.devices_ids());
  }
  return found;
}

std::string validate(const v1beta1::PreferredAllocationRequest& request) {
  std::string found = validate_containers(request);
  for (const auto& container : request.container_requests()) {
    if (found.empty()) found = validate_ids(container.available_deviceids());
    if (found.empty()) found = validate_ids(container.must_include_deviceids());
  }
  return found;
}

std::string validate(const v1beta1::PreStartContainerRequest& request) {
  return validate_ids(request.devices_ids());
}

std::string format_ids(const std::vector<std::string>& ids) {
  if (ids.size() <= kMaxLoggedIds) return join(ids, ",");
  return join(std::span(ids).first(kMaxLoggedIds), ",") +
         fmt::format(",… and {} more", ids.size() - kMaxLoggedIds);
}

}  // namespace patchbay::plugin
