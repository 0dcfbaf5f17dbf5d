#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/call_queue.h"
#include "driver/driver_messages.h"
#include "proto/dra_v1.grpc.pb.h"
#include "rpc/unary_call.h"
#include "status/counters.h"

/// The calls of the service DRAPlugin. gRPC's thread.
namespace patchbay::driver {

/// Answers one call. Destroyed without an answer, it fails the call, so that the kubelet tries
/// again. Any thread.
class CallAnswer {
 public:
  /// `send` is called once; with nullopt to fail the call.
  explicit CallAnswer(std::move_only_function<void(std::optional<ClaimOutcomes>)> send)
      : send_(std::move(send)) {}
  CallAnswer(CallAnswer&& other) noexcept : send_(std::exchange(other.send_, nullptr)) {}
  CallAnswer& operator=(CallAnswer&&) = delete;
  ~CallAnswer() {
    if (send_) send_(std::nullopt);
  }
  void operator()(ClaimOutcomes outcomes) { std::exchange(send_, nullptr)(std::move(outcomes)); }

 private:
  std::move_only_function<void(std::optional<ClaimOutcomes>)> send_;
};

/// The owner of a service socket and its connections.
struct ServiceOwner final : rpc::SocketOwner {
  using SocketOwner::SocketOwner;
  /// Called on gRPC's thread, for each call.
  std::function<void(CallKind kind, std::vector<ResourceClaimName> claims, CallAnswer answer)>
      on_call;
  status::Histogram* prepares = nullptr;  ///< Durations of Prepare calls; null: not counted.
};

class DraService final : public api::DRAPlugin::AsyncService {
 public:
  using Owner = ServiceOwner;  ///< The owner of a connection: see rpc::SocketOwner.
};

struct PrepareRpc {
  using Request = api::NodePrepareResourcesRequest;
  using Response = api::NodePrepareResourcesResponse;
  static constexpr auto kKind = CallKind::prepare;
  static constexpr auto kRequest = &DraService::RequestNodePrepareResources;
};

struct UnprepareRpc {
  using Request = api::NodeUnprepareResourcesRequest;
  using Response = api::NodeUnprepareResourcesResponse;
  static constexpr auto kKind = CallKind::unprepare;
  static constexpr auto kRequest = &DraService::RequestNodeUnprepareResources;
};

/// Answers one NodePrepareResources or NodeUnprepareResources when its owner has.
template <typename Rpc>
class ResourceClaimsCall final
    : public rpc::UnaryCall<ResourceClaimsCall<Rpc>, DraService, typename Rpc::Request,
                            typename Rpc::Response> {
  using Base =
      rpc::UnaryCall<ResourceClaimsCall, DraService, typename Rpc::Request, typename Rpc::Response>;

 public:
  static constexpr auto kRequest = Rpc::kRequest;

  ResourceClaimsCall(const rpc::CallEnvironment<DraService>& environment,
                     rpc::OpenCalls<ResourceClaimsCall>& open)
      : Base(environment, open) {}

  void begin(ServiceOwner& owner) {
    owner.on_call(
        Rpc::kKind, resource_claims(this->request()),
        CallAnswer([weak = this->weak_from_this()](std::optional<ClaimOutcomes> outcomes) {
          const auto self = weak.lock();
          if (!self) return;
          // QueueRef keeps the thread alive, whichever thread calls this.
          self->environment().thread.post(
              [self, outcomes = std::move(outcomes)] { self->answer(outcomes); });
        }));
  }
  static void count(ServiceOwner& owner, bool /*ok*/, typename Base::Duration duration) {
    if (Rpc::kKind == CallKind::prepare && owner.prepares) owner.prepares->add(duration);
  }

 private:
  void answer(const std::optional<ClaimOutcomes>& outcomes) {
    if (!outcomes) {
      return this->finish({grpc::StatusCode::UNAVAILABLE, "patchbay no longer serves this driver"});
    }
    if (this->answered()) return;
    fill(this->response(), *outcomes);
    this->finish(grpc::Status::OK);
  }
};

using PrepareCall = ResourceClaimsCall<PrepareRpc>;
using UnprepareCall = ResourceClaimsCall<UnprepareRpc>;

}  // namespace patchbay::driver
