#pragma once

#include "serve/deferred_call.h"

namespace patchbay::serve {

/// One PreStartContainer, which is answered when the steps are done. gRPC's thread.
class PreStartCall final : public DeferredCall<PreStartCall, v1beta1::PreStartContainerRequest,
                                               v1beta1::PreStartContainerResponse> {
 public:
  static constexpr auto kRequest = &BoundedService::RequestPreStartContainer;
  static constexpr auto kCounters = &observe::ResourceCounters::pre_start;

  PreStartCall(const CallEnvironment& environment, OpenCalls<PreStartCall>& open)
      : DeferredCall(environment, open) {}

  /// When it has arrived.
  void begin(ResourceChannel& channel);
};

}  // namespace patchbay::serve
