#include "plugin/request_limits.h"

#include <string>

#include <gmock/gmock.h>
#include <grpcpp/impl/grpc_library.h>
#include <gtest/gtest.h>

namespace patchbay::plugin {
namespace {

using ::testing::HasSubstr;

grpc::ByteBuffer buffer_of(const std::string& bytes) {
  static const bool initialized = (grpc::internal::GrpcLibraryInitializer().summon(), true);
  EXPECT_TRUE(initialized);  // gRPC's own objects initialize it.
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

template <typename Message>
BoundedRequest<Message> parsed(const std::string& bytes) {
  auto buffer = buffer_of(bytes);
  BoundedRequest<Message> request;
  EXPECT_TRUE(
      grpc::SerializationTraits<BoundedRequest<Message>>::Deserialize(&buffer, &request).ok());
  return request;
}

TEST(RequestLimits, AcceptsRequestWithTheMaximumOfUnits) {
  v1beta1::PreferredAllocationRequest request;
  auto& container = *request.add_container_requests();
  for (size_t i = 0; i < inventory::kMaxUnits; ++i) {
    container.add_available_deviceids(std::string(63, '\xa'));
    container.add_must_include_deviceids(std::string(63, '\xa'));
  }
  const std::string bytes = request.SerializeAsString();
  EXPECT_LT(bytes.size(), kMaxRequestBytes);
  const auto got = parsed<v1beta1::PreferredAllocationRequest>(bytes);
  EXPECT_EQ(got.refusal, "");
  EXPECT_EQ(got.message.SerializeAsString(), bytes);
}

TEST(RequestLimits, RejectsRequestWithTooManyFields) {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes += std::string("\x0a\0", 2);
  for (const auto& refusal : {parsed<v1beta1::AllocateRequest>(bytes).refusal,
                              parsed<v1beta1::PreStartContainerRequest>(bytes).refusal,
                              parsed<v1beta1::Empty>(bytes).refusal}) {
    EXPECT_EQ(refusal, rpc::too_many_fields(kMaxRequestFields));
  }
  v1beta1::AllocateRequest nested;
  auto& container = *nested.add_container_requests();
  for (size_t i = 0; i < kMaxRequestFields; ++i) container.add_devices_ids("");
  EXPECT_EQ(parsed<v1beta1::AllocateRequest>(nested.SerializeAsString()).refusal,
            rpc::too_many_fields(kMaxRequestFields));
}

TEST(RequestLimits, RejectsInvalidRequestsWithReason) {
  v1beta1::AllocateRequest many;
  for (int i = 0; i <= kMaxContainers; ++i) many.add_container_requests();
  const auto got = parsed<v1beta1::AllocateRequest>(many.SerializeAsString());
  EXPECT_EQ(got.refusal, "the request is for 257 containers; the limit is 256");
  EXPECT_EQ(got.message.container_requests_size(), 0);

  v1beta1::PreStartContainerRequest long_name;
  long_name.add_devices_ids(std::string(100'000, 'x'));
  const auto refusal = validate(long_name);
  EXPECT_THAT(refusal, HasSubstr("names a unit with 100000 characters ('xxx"));
  EXPECT_LT(refusal.size(), 300U);

  v1beta1::AllocateRequest all_twice;
  auto& container = *all_twice.add_container_requests();
  for (size_t i = 0; i <= inventory::kMaxUnits; ++i) container.add_devices_ids("x");
  EXPECT_EQ(validate(all_twice), "the request names 43691 units; the limit is 43690");
}

TEST(RequestLimits, LogsLimitedNumberOfIds) {
  EXPECT_EQ(format_ids({"a", "b"}), "a,b");
  const std::string text = format_ids(std::vector<std::string>(1000, "x"));
  EXPECT_LT(text.size(), 100U);
  EXPECT_THAT(text, HasSubstr(",… and 968 more"));
}

}  // namespace
}  // namespace patchbay::plugin
