#include "rpc/bounded_request.h"

#include <chrono>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "base/log.h"
#include "base/rate_limited_log.h"

namespace patchbay::rpc {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Counts the fields of a message, and of the messages in its first field. It stops at invalid
/// data, as protobuf does.
class FieldCounter {
 public:
  FieldCounter(CodedInputStream& in, size_t limit) : in_(in), limit_(limit) {}

  /// False: there are too many.
  bool count(bool first_is_message) {
    while (const uint32_t tag = in_.ReadTag()) {
      if (++fields_ > limit_) return false;
      if (!first_is_message || tag != kFirstMessage) {
        if (!skip(tag)) return true;
        continue;
      }
      int length = 0;
      if (!in_.ReadVarintSizeAsInt(&length)) return true;
      const auto limit = in_.PushLimit(length);
      if (!count(false)) return false;
      const int left = in_.BytesUntilLimit();
      if (left > 0 && !in_.Skip(left)) return true;
      in_.PopLimit(limit);
    }
    return true;
  }

 private:
  static constexpr uint32_t kFirstMessage =
      1U << 3U | static_cast<uint32_t>(WireFormatLite::WIRETYPE_LENGTH_DELIMITED);

  /// Skips the value of a field. The content of a group counts as fields of the message.
  bool skip(uint32_t tag) {
    uint64_t number = 0;
    int length = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        return in_.ReadVarint64(&number);
      case WireFormatLite::WIRETYPE_FIXED64:
        return in_.Skip(sizeof(uint64_t));
      case WireFormatLite::WIRETYPE_FIXED32:
        return in_.Skip(sizeof(uint32_t));
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        return in_.ReadVarintSizeAsInt(&length) && in_.Skip(length);
      case WireFormatLite::WIRETYPE_START_GROUP:
      case WireFormatLite::WIRETYPE_END_GROUP:
        return true;
    }
    return false;
  }

  CodedInputStream& in_;
  const size_t limit_;
  size_t fields_ = 0;
};

}  // namespace

bool is_within_field_limit(const grpc::ByteBuffer& bytes, size_t limit, bool counts_first_field) {
  // A field has at least one byte.
  if (bytes.Length() <= limit) return true;
  grpc::ByteBuffer copy = bytes;  // A copy of references.
  grpc::ProtoBufferReader reader(&copy);
  CodedInputStream in(&reader);
  return FieldCounter(in, limit).count(counts_first_field);
}

std::string too_many_fields(size_t limit) {
  return fmt::format("the request has too many fields: the limit is {}", limit);
}

grpc::Status reject_request(const std::string& owner, const std::string& refusal) {
  static log::RateLimitedLog line;
  if (const auto more = line.admit(std::chrono::steady_clock::now())) {
    log::warning("refused a request",
                 {{"resource", owner}, {"reason", refusal}, {"suppressed", std::to_string(*more)}});
  }
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, refusal};
}

}  // namespace patchbay::rpc
