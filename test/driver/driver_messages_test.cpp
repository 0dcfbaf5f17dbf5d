#include "driver/driver_messages.h"

#include <string>

#include <gtest/gtest.h>

namespace patchbay::driver {
namespace {

TEST(DriverMessagesTest, FieldsHaveTheNumbersOfTheKubelet) {
  api::NodePrepareResourcesResponse response;
  fill(response,
       {{"u", ClaimOutcome{{{.requests = {"r"}, .pool = "p", .device = "d", .cdi_ids = {"c"}}}}}});
  // claims {key: 1, value: 2 {devices: 1 {request_names: 1, pool: 2, device: 3, cdi_device_ids:
  // 4}}}
  EXPECT_EQ(response.SerializeAsString(),
            "\x0a\x13\x0a\x01u\x12\x0e\x0a\x0c\x0a\x01r\x12\x01p\x1a\x01"
            "d\x22\x01"
            "c");
  api::NodeUnprepareResourcesResponse failed;
  fill(failed, {{"u", fail("e")}});
  EXPECT_EQ(failed.SerializeAsString(),
            "\x0a\x08\x0a\x01u\x12\x03\x0a\x01"
            "e");
  api::NodeUnprepareResourcesRequest request;
  ASSERT_TRUE(request.ParseFromString("\x0a\x09\x0a\x01s\x12\x01u\x1a\x01n"));
  const auto claims = resource_claims(request);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].namespace_name + " " + claims[0].uid + " " + claims[0].name, "s u n");
  EXPECT_EQ(plugin_info("n", "e").SerializeAsString(),
            "\x0a\x09"
            "DRAPlugin\x12\x01n\x1a\x01"
            "e\x22\x0cv1.DRAPlugin");
}

/// The kubelet rejects a message with invalid UTF-8.
TEST(DriverMessagesTest, ErrorTextsArePrintableAndShort) {
  api::NodePrepareResourcesResponse response;
  fill(response, {{"bytes", fail("serial \xff\n")}, {"long", fail(std::string(2000, 'x'))}});
  EXPECT_EQ(response.claims().at("bytes").error(), "serial \\xff\\x0a");
  EXPECT_LE(response.claims().at("long").error().size(), kMaxErrorBytes + std::string("…").size());
  EXPECT_EQ(response.claims().at("long").devices_size(), 0);
}

TEST(DriverMessagesTest, ResourceClaimWithoutDevicesHasAnEntry) {
  api::NodePrepareResourcesResponse prepared;
  fill(prepared, {{"u", ClaimOutcome{}}});
  EXPECT_EQ(prepared.ShortDebugString(), R"(claims { key: "u" value { } })");
  api::NodeUnprepareResourcesResponse unprepared;
  fill(unprepared, {{"u", ClaimOutcome{}}});
  EXPECT_EQ(unprepared.ShortDebugString(), R"(claims { key: "u" value { } })");
}

}  // namespace
}  // namespace patchbay::driver
