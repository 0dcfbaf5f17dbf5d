#pragma once

#include <string>
#include <vector>

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/serialization_traits.h>
#include <grpcpp/support/byte_buffer.h>

#include "inventory/id_assigner.h"
#include "proto/deviceplugin_v1beta1.pb.h"

/// Limits on the size of requests, far above those of a kubelet. A parsed message takes up to forty
/// times the memory of its bytes, so the bytes are checked before they are parsed.
namespace patchbay::serve {

/// GetPreferredAllocation may name all units twice: as available and as required. An id has at most
/// 63 characters, and a number if its unit is shared.
inline constexpr size_t kMaxRequestBytes = size_t{6} << 20U;
inline constexpr size_t kMaxRequestFields = 2 * inventory::kMaxUnits + 1000;
/// A kubelet asks for one container at a time.
inline constexpr int kMaxContainers = 256;
inline constexpr size_t kMaxIdBytes = 256;

/// A request parsed from the wire.
template <typename Message>
struct BoundedRequest {
  Message message;
  std::string refusal;  ///< Not empty: reject the request; `message` is empty.
};

/// Whether the bytes have at most kMaxRequestFields fields. With `containers` the fields inside the
/// container messages count, too.
[[nodiscard]] bool is_within_field_limit(const grpc::ByteBuffer& bytes, bool containers);

/// Returns why the request exceeds a limit; empty if it does not.
[[nodiscard]] std::string validate(const v1beta1::Empty& request);
[[nodiscard]] std::string validate(const v1beta1::AllocateRequest& request);
[[nodiscard]] std::string validate(const v1beta1::PreferredAllocationRequest& request);
[[nodiscard]] std::string validate(const v1beta1::PreStartContainerRequest& request);

[[nodiscard]] std::string too_many_fields();

/// "a,b,c", or the first ids and the number of further ones: for the log.
[[nodiscard]] std::string format_ids(const std::vector<std::string>& ids);

}  // namespace patchbay::serve

/// Parses it for gRPC.
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
