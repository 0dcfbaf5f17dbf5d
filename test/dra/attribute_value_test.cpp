#include "dra/attribute_value.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace patchbay::dra {
namespace {

using config::AttributeType;

/// The reason why the text is no value of this type, or "ok".
std::string fault(AttributeType type, const std::string& text) {
  const auto value = make_value(type, text);
  return value ? "ok" : value.error().message;
}

TEST(AttributeValue, HasTheTypeOfTheTemplate) {
  EXPECT_EQ(*make_value(AttributeType::text, "42"), AttributeValue(std::string("42")));
  EXPECT_EQ(*make_value(AttributeType::integer, "-42"), AttributeValue(int64_t{-42}));
  EXPECT_EQ(*make_value(AttributeType::integer, "9223372036854775807"),
            AttributeValue(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(*make_value(AttributeType::boolean, "true"), AttributeValue(true));
  EXPECT_EQ(*make_value(AttributeType::boolean, "0"), AttributeValue(false));
  EXPECT_EQ(*make_value(AttributeType::version, "1.2.3"), AttributeValue(Version{"1.2.3"}));
}

TEST(AttributeValue, TextMayHaveSixtyFourBytes) {
  EXPECT_EQ(fault(AttributeType::text, std::string(64, 'x')), "ok");
  EXPECT_EQ(fault(AttributeType::text, std::string(65, 'x')),
            '"' + std::string(65, 'x') + "\" has 65 bytes; the limit is 64");
  EXPECT_EQ(fault(AttributeType::text, "ä" + std::string(62, 'x')), "ok");
  EXPECT_NE(fault(AttributeType::text, "ä" + std::string(63, 'x')), "ok");
  EXPECT_NE(fault(AttributeType::version, "1.0.0-" + std::string(59, 'x')), "ok");
}

TEST(AttributeValue, RejectsEmptyText) {
  for (const AttributeType type : {AttributeType::text, AttributeType::integer,
                                   AttributeType::boolean, AttributeType::version}) {
    EXPECT_EQ(fault(type, ""), "the value is empty");
  }
}

TEST(AttributeValue, RejectsHostileText) {
  EXPECT_EQ(fault(AttributeType::text, "a\nb"), "\"a\\x0ab\" contains a control character");
  EXPECT_EQ(fault(AttributeType::text, "\xff"),
            "\"\\xff\" contains characters that cannot be printed");
  EXPECT_EQ(fault(AttributeType::text, "\xe2\x80\xaetxt"),
            "\"\\u202etxt\" contains characters that cannot be printed");
  EXPECT_EQ(fault(AttributeType::text, std::string("a\0b", 3)),
            "\"a\\x00b\" contains a control character");
}

TEST(AttributeValue, RejectsTextOfAnotherType) {
  EXPECT_EQ(fault(AttributeType::integer, "0x10"), "\"0x10\" is no whole number of 64 bits");
  EXPECT_EQ(fault(AttributeType::integer, "9223372036854775808"),
            "\"9223372036854775808\" is no whole number of 64 bits");
  EXPECT_EQ(fault(AttributeType::boolean, "yes"), "\"yes\" is neither true nor false");
  EXPECT_EQ(fault(AttributeType::version, "2.1"), "\"2.1\" is no semantic version");
}

}  // namespace
}  // namespace patchbay::dra
