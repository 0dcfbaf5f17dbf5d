#pragma once

#include <string>
#include <vector>

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/serialization_traits.h>
#include <grpcpp/support/byte_buffer.h>

#include "inventory/id_assigner.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// Requests of a size that a kubelet's may have. A message that is read takes up to forty times the
/// room of its bytes, so it is looked at before it is read.
namespace patchbay::serve {

/// GetPreferredAllocation may name all units twice: those that are free, and those that must be in.
/// An id has at most 63 characters, and a number where it is shared.
inline constexpr size_t kMaxRequestBytes = size_t{6} << 20U;
inline constexpr size_t kMaxRequestFields = 2 * inventory::kMaxUnits + 1000;
/// A kubelet asks for one container at a time.
inline constexpr int kMaxContainers = 256;
inline constexpr size_t kMaxIdBytes = 256;

/// A request as it is read from the wire.
template <typename Message>
struct BoundedRequest {
  Message message;
  std::string refusal;  ///< Not empty: it is not to be answered, and `message` is empty.
};

/// Whether the bytes hold no more fields than kMaxRequestFields; those of what is in containers
/// count, too.
[[nodiscard]] bool is_within_field_limit(const grpc::ByteBuffer& bytes, bool containers);

/// What is absurd about the request; empty: nothing.
[[nodiscard]] std::string validate(const v1beta1::Empty& request);
[[nodiscard]] std::string validate(const v1beta1::AllocateRequest& request);
[[nodiscard]] std::string validate(const v1beta1::PreferredAllocationRequest& request);
[[nodiscard]] std::string validate(const v1beta1::PreStartContainerRequest& request);

[[nodiscard]] std::string too_many_fields();

/// "a,b,c", or the first of them and how many more there are: for the log.
[[nodiscard]] std::string format_ids(const std::vector<std::string>& ids);

}  // namespace patchbay::serve

/// How gRPC reads it.
template <typename Message>
class grpc::SerializationTraits<patchbay::serve::BoundedRequest<Message>, void> {
 public:
  // NOLINTNEXTLINE(readability-identifier-naming): as gRPC calls it.
  static Status Deserialize(ByteBuffer* bytes, patchbay::serve::BoundedRequest<Message>* request) {
    using namespace patchbay::serve;
    constexpr bool kContainers = requires(const Message& m) { m.container_requests(); };
    if (!is_within_field_limit(*bytes, kContainers)) {
      bytes->Clear();
      request->refusal = too_many_fields();
      return Status::OK;
    }
    const Status status = SerializationTraits<Message>::Deserialize(bytes, &request->message);
    if (!status.ok()) return status;
    request->refusal = validate(request->message);
    if (!request->refusal.empty()) request->message.Clear();
    return status;
  }
};
