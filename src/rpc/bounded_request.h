#pragma once

#include <string>

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/serialization_traits.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

/// Requests with limits. A parsed message takes up to forty times the memory of its bytes, so the
/// bytes are checked before they are parsed.
namespace patchbay::rpc {

/// A request parsed from the wire. `Limits` has the limits of this kind of request. `kMaxFields` is
/// the maximum number of fields. With `kCountsFirstField` the fields of messages in the first field
/// count, too. `validate(message)` returns the reason if another limit is exceeded; otherwise the
/// text is empty.
template <typename Message, typename Limits>
struct BoundedRequest {
  Message message;
  std::string refusal;  ///< Not empty: reject the request; `message` is empty.
};

/// Whether the bytes have at most `limit` fields. With `counts_first_field` the fields of messages
/// in the first field count, too.
[[nodiscard]] bool is_within_field_limit(const grpc::ByteBuffer& bytes, size_t limit,
                                         bool counts_first_field);

/// The refusal of a request with more fields.
[[nodiscard]] std::string too_many_fields(size_t limit);

/// Returns the status for a rejected request on a connection of this owner, and logs it at most
/// once a second.
[[nodiscard]] grpc::Status reject_request(const std::string& owner, const std::string& refusal);

}  // namespace patchbay::rpc

/// Parses it for gRPC.
template <typename Message, typename Limits>
class grpc::SerializationTraits<patchbay::rpc::BoundedRequest<Message, Limits>, void> {
 public:
  // NOLINTNEXTLINE(readability-identifier-naming): as gRPC calls it.
  static Status Deserialize(ByteBuffer* bytes,
                            patchbay::rpc::BoundedRequest<Message, Limits>* request) {
    if (!patchbay::rpc::is_within_field_limit(*bytes, Limits::kMaxFields,
                                              Limits::kCountsFirstField)) {
      bytes->Clear();
      request->refusal = patchbay::rpc::too_many_fields(Limits::kMaxFields);
      return Status::OK;
    }
    const Status status = SerializationTraits<Message>::Deserialize(bytes, &request->message);
    if (!status.ok()) return status;
    request->refusal = Limits::validate(request->message);
    if (!request->refusal.empty()) request->message.Clear();
    return status;
  }
};
