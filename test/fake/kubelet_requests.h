#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/deviceplugin_v1beta1.pb.h"

/// Requests as the kubelet sends them: always for exactly one container.
namespace patchbay::fake {

inline v1beta1::AllocateRequest allocate_request(const std::vector<std::string>& ids) {
  v1beta1::AllocateRequest request;
  request.add_container_requests()->mutable_devices_ids()->Assign(ids.begin(), ids.end());
  return request;
}

struct PreferenceQuery {
  std::vector<std::string> available;
  std::vector<std::string> must_include;
  int32_t size = 0;
};

inline v1beta1::PreferredAllocationRequest preference_request(const PreferenceQuery& query) {
  v1beta1::PreferredAllocationRequest request;
  auto& container = *request.add_container_requests();
  container.mutable_available_deviceids()->Assign(query.available.begin(), query.available.end());
  container.mutable_must_include_deviceids()->Assign(query.must_include.begin(),
                                                     query.must_include.end());
  container.set_allocation_size(query.size);
  return request;
}

}  // namespace patchbay::fake
