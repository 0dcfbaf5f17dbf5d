#include "observe/page.h"

#include <gtest/gtest.h>

namespace patchbay::observe {
namespace {

TEST(PageTest, NodeNameIsEscaped) {
  const std::string made = page("<script>x('\"&amp;\n\x1b[31m\u202e$(script)", "n");
  EXPECT_NE(made.find("<title>&lt;script&gt;x(&#39;&quot;&amp;amp;\\x0a\\x1b[31m\\u202e$(script)"),
            std::string::npos)
      << made.substr(0, 400);
  EXPECT_EQ(made.find("<script>x"), std::string::npos);
}

TEST(PageTest, OnlyTheScriptWithTheNonceRuns) {
  const std::string made = page("bench-1", "secret");
  EXPECT_NE(made.find("<script nonce=\"secret\">'use strict';"), std::string::npos);
  EXPECT_NE(made.find("<style nonce=\"secret\">:root"), std::string::npos);
  EXPECT_EQ(page_policy("secret"),
            "default-src 'none'; img-src data:; style-src 'nonce-secret'; "
            "script-src 'nonce-secret'; connect-src 'self'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(made.find("$("), std::string::npos);
}

TEST(PageTest, PageIsSmall) { EXPECT_LT(page("bench-1", "n").size(), 60'000); }

}  // namespace
}  // namespace patchbay::observe
