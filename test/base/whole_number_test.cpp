#include "base/whole_number.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(ParseWhole, ParsesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_whole<int>("42"), 42);
  EXPECT_EQ(parse_whole<int>("-7"), -7);
  EXPECT_EQ(parse_whole<uint32_t>("007"), 7U);
  EXPECT_EQ(parse_whole<uint64_t>("ffffffffffffffff", 16), UINT64_MAX);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "ten"}) {
    EXPECT_EQ(parse_whole<int>(text), std::nullopt) << text;
  }
}

TEST(ParseWhole, RejectsNumbersOutOfRange) {
  EXPECT_EQ(parse_whole<uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_whole<uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(parse_whole<uint32_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace patchbay
