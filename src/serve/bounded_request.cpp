#include "serve/bounded_request.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "base/log.h"
#include "base/rate_limited_log.h"
#include "base/text.h"
#include "serve/bounded_service.h"

namespace patchbay::serve {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Maximum number of logged ids of a call.
constexpr size_t kMaxLoggedIds = 32;

/// Counts the fields of a message, and of the messages in its first field. It stops at invalid
/// data, as protobuf does.
class FieldCounter {
 public:
  explicit FieldCounter(CodedInputStream& in) : in_(in) {}

  /// False: there are too many.
  bool count(bool first_is_message) {
    while (const uint32_t tag = in_.ReadTag()) {
      if (++fields_ > kMaxRequestFields) return false;
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
  size_t fields_ = 0;
};

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

bool is_within_field_limit(const grpc::ByteBuffer& bytes, bool containers) {
  // A field has at least one byte.
  if (bytes.Length() <= kMaxRequestFields) return true;
  grpc::ByteBuffer copy = bytes;  // A copy of references.
  grpc::ProtoBufferReader reader(&copy);
  CodedInputStream in(&reader);
  return FieldCounter(in).count(containers);
}

std::string too_many_fields() {
  return fmt::format("the request has too many fields: the limit is {}", kMaxRequestFields);
}

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

grpc::Status reject_request(const std::string& resource, const std::string& refusal) {
  static log::RateLimitedLog line;
  if (const auto more = line.admit(std::chrono::steady_clock::now())) {
    log::warning(
        "refused a request",
        {{"resource", resource}, {"reason", refusal}, {"suppressed", std::to_string(*more)}});
  }
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, refusal};
}

std::string format_ids(const std::vector<std::string>& ids) {
  if (ids.size() <= kMaxLoggedIds) return join(ids, ",");
  return join(std::span(ids).first(kMaxLoggedIds), ",") +
         fmt::format(",… and {} more", ids.size() - kMaxLoggedIds);
}

}  // namespace patchbay::serve
