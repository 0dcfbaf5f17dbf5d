#include "render/page.h"

#include <algorithm>
#include <array>

#include "render/embedded_page.h"

namespace patchbay::render {
namespace {

constexpr std::array<PageFile, 3> kFiles{{
    {.path = "/", .type = "text/html; charset=utf-8", .text = kPageHtml},
    {.path = "/page.css", .type = "text/css; charset=utf-8", .text = kPageCss},
    {.path = "/page.js", .type = "text/javascript; charset=utf-8", .text = kPageJs},
}};

}  // namespace

const PageFile* page_file(std::string_view path) {
  const auto* const file = std::ranges::find(kFiles, path, &PageFile::path);
  return file == kFiles.end() ? nullptr : file;
}

}  // namespace patchbay::render
