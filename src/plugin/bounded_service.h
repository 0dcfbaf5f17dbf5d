#pragma once

#include "plugin/answers.h"
#include "plugin/request_limits.h"
#include "plugin/resource_channel.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"
#include "rpc/unary_call.h"

namespace patchbay::plugin {

/// Runs the device plugin service with requests that are checked before they are parsed. The
/// generated service cannot do that.
class BoundedService final : public v1beta1::DevicePlugin::AsyncService {
 public:
  using Owner = ResourceChannel;

  /// `its_answers` outlives it.
  explicit BoundedService(const AnswerContext& its_answers) : answers(its_answers) {}

  const AnswerContext& answers;  ///< For its calls.

  template <typename Message>
  using Request = BoundedRequest<Message>;
  template <typename Response>
  using Writer = grpc::ServerAsyncResponseWriter<Response>;
  using Queue = grpc::CompletionQueue;
  using ServerQueue = grpc::ServerCompletionQueue;

  void RequestGetDevicePluginOptions(grpc::ServerContext* context, Request<v1beta1::Empty>* request,
                                     Writer<v1beta1::DevicePluginOptions>* writer, Queue* queue,
                                     ServerQueue* arrivals, void* tag) {
    RequestAsyncUnary(0, context, request, writer, queue, arrivals, tag);
  }
  /// Lists are written as bytes: see SharedList.
  void RequestListAndWatch(grpc::ServerContext* context, Request<v1beta1::Empty>* request,
                           grpc::ServerAsyncWriter<grpc::ByteBuffer>* writer, Queue* queue,
                           ServerQueue* arrivals, void* tag) {
    RequestAsyncServerStreaming(1, context, request, writer, queue, arrivals, tag);
  }
  void RequestGetPreferredAllocation(grpc::ServerContext* context,
                                     Request<v1beta1::PreferredAllocationRequest>* request,
                                     Writer<v1beta1::PreferredAllocationResponse>* writer,
                                     Queue* queue, ServerQueue* arrivals, void* tag) {
    RequestAsyncUnary(2, context, request, writer, queue, arrivals, tag);
  }
  void RequestAllocate(grpc::ServerContext* context, Request<v1beta1::AllocateRequest>* request,
                       Writer<v1beta1::AllocateResponse>* writer, Queue* queue,
                       ServerQueue* arrivals, void* tag) {
    RequestAsyncUnary(3, context, request, writer, queue, arrivals, tag);
  }
  void RequestPreStartContainer(grpc::ServerContext* context,
                                Request<v1beta1::PreStartContainerRequest>* request,
                                Writer<v1beta1::PreStartContainerResponse>* writer, Queue* queue,
                                ServerQueue* arrivals, void* tag) {
    RequestAsyncUnary(4, context, request, writer, queue, arrivals, tag);
  }
};

using CallEnvironment = rpc::CallEnvironment<BoundedService>;

/// The status of a stream whose resource was withdrawn.
inline grpc::Status withdrawn_status() {
  return {grpc::StatusCode::UNAVAILABLE, "the resource is no longer offered"};
}

}  // namespace patchbay::plugin
