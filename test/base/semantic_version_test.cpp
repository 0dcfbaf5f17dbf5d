#include "base/semantic_version.h"

#include <string>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(SemanticVersion, AcceptsVersions) {
  for (const std::string text :
       {"0.0.0", "1.2.3", "10.20.30", "1.2.3-rc.1", "1.2.3-0", "1.2.3--", "1.2.3-0a", "1.2.3+001",
        "1.2.3-rc.1+build.5", "1.0.0+a-b", "9223372036854775807.0.0"}) {
    EXPECT_TRUE(is_semantic_version(text)) << text;
  }
}

TEST(SemanticVersion, RejectsOtherTexts) {
  for (const std::string text : {"",
                                 "1",
                                 "1.2",
                                 "1.2.3.4",
                                 "v1.2.3",
                                 "01.2.3",
                                 "1.02.3",
                                 "1.2.3-",
                                 "1.2.3+",
                                 "1.2.3-01",
                                 "1.2.3-a..b",
                                 "1.2.3-a_b",
                                 "1.2.3+a+b",
                                 "1.2.3-ä",
                                 " 1.2.3",
                                 "1.2.3\n",
                                 "-1.2.3",
                                 "+1.2.3",
                                 "1.-2.3",
                                 "0600",
                                 "1.2.x",
                                 "9223372036854775808.0.0",
                                 "1.0.0-9223372036854775808"}) {
    EXPECT_FALSE(is_semantic_version(text)) << text;
  }
}

}  // namespace
}  // namespace patchbay
