#pragma once

#include "serve/deferred_call.h"

namespace patchbay::serve {

/// Answers one PreStartContainer after its steps are done. gRPC's thread.
class PreStartCall final : public DeferredCall<PreStartCall, v1beta1::PreStartContainerRequest,
                                               v1beta1::PreStartContainerResponse> {
 public:
  static constexpr auto kRequest = &BoundedService::RequestPreStartContainer;
  static constexpr auto kCounters = &status::ResourceCounters::pre_start;

  PreStartCall(const CallEnvironment& environment, OpenCalls<PreStartCall>& open)
      : DeferredCall(environment, open) {}

  /// Starts the steps; called on arrival.
  void begin(ResourceChannel& channel);
};

}  // namespace patchbay::serve
