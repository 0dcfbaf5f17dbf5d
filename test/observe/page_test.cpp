#include "observe/page.h"

#include <gtest/gtest.h>

#include "observe/status_bench.h"

namespace patchbay::observe {
namespace {

class PageTest : public ::testing::Test {
 protected:
  [[nodiscard]] static std::string rows(const std::string& page, const std::string& id) {
    const size_t begin = page.find("id=\"" + id + "\">");
    const size_t end = page.find("</tbody>", begin);
    return begin == std::string::npos ? "none" : page.substr(begin, end - begin);
  }

  inventory::Inventory inventory_{
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: same}\n")};
};

TEST_F(PageTest, ResourcesAreATable) {
  inventory_.apply(inventory::shared(inventory::serial("ttyS0", "")));
  const NodeStatus status = node_status(inventory_, registered());
  EXPECT_EQ(rows(page(status, "n"), "resources"),
            "id=\"resources\"><tr><th scope=row>a.io/tty<td class=number>1<td class=number>1"
            "<td class=number>0<td class=\"number later\">0<td class=\"number later\">-"
            "<td>registered<td class=later>59s");
}

TEST_F(PageTest, WhatDevicesSayIsText) {
  const std::string hostile = "<script>x('\"&amp;\n\x1b[31m\u202e$(script)";
  inventory_.apply(inventory::shared(inventory::serial("ttyS0", "")));
  inventory_.apply(inventory::shared(inventory::serial(hostile, "")));
  NodeStatus status = node_status(inventory_, registered());
  status.program.node = hostile;
  status.configuration.refused = hostile;
  const std::string made = page(status, "n");
  EXPECT_EQ(made.find(hostile), std::string::npos);
  EXPECT_EQ(made.find("<script>x"), std::string::npos);
  EXPECT_EQ(made.find('\x1b'), std::string::npos);
  EXPECT_EQ(made.find("\u202e"), std::string::npos);
  EXPECT_TRUE(
      rows(made, "refused")
          .starts_with(
              R"(id="refused"><tr><td class=mono>a.io/tty<td class=mono>/sys/devices/usb/)"
              R"(&lt;script&gt;x(&#39;&quot;&amp;amp;\x0a\x1b[31m\u202e$(script)<td class=bad>refused)"))
      << rows(made, "refused");
}

TEST_F(PageTest, OnlyWhatHasTheNonceRuns) {
  const std::string made = page(node_status(), "secret");
  EXPECT_NE(made.find("<script nonce=\"secret\">'use strict';"), std::string::npos);
  EXPECT_NE(made.find("<style nonce=\"secret\">:root"), std::string::npos);
  EXPECT_EQ(page_policy("secret"),
            "default-src 'none'; img-src data:; style-src 'nonce-secret'; "
            "script-src 'nonce-secret'; connect-src 'self'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(made.find("$("), made.find("'$("));
}

TEST_F(PageTest, ItIsSmall) { EXPECT_LT(page(node_status(), "n").size(), 60'000); }

}  // namespace
}  // namespace patchbay::observe
