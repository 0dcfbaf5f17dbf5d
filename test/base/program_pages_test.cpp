#include "base/program_pages.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

/// Resident size of the mapping with this function's code, in KiB.
size_t resident_code() {
  const auto here = reinterpret_cast<uintptr_t>(&resident_code);
  std::ifstream maps("/proc/self/smaps");
  bool is_ours = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      is_ours = begin <= here && here < end;
    } else if (is_ours && line.starts_with("Rss:")) {
      return std::stoul(line.substr(4));
    }
  }
  return 0;
}

TEST(ProgramPagesTest, ReleasesUnusedCodePages) {
  const size_t before = resident_code();
  give_back_program_pages();
  const size_t after = resident_code();
  EXPECT_GT(after, 0U) << "what runs is";
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace patchbay
