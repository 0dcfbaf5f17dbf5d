#include "render/page.h"

#include <gtest/gtest.h>

namespace patchbay::render {
namespace {

TEST(PageTest, PageIsSmall) {
  size_t bytes = 0;
  for (const char* path : {"/", "/page.css", "/page.js"}) {
    const PageFile* const file = page_file(path);
    ASSERT_NE(file, nullptr) << path;
    bytes += file->text.size();
  }
  EXPECT_LT(bytes, 60'000);
}

}  // namespace
}  // namespace patchbay::render
